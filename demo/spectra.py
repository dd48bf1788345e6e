# %% [markdown]
# # A spectrum before and after
#
# Loads the spectra that ship with gpusort, asks the server for the ten strongest peaks of one of them and for the
# spectrum that is most like it, and draws them. Each cell is one of a notebook. As a script it writes a picture:
#
#     pip install 'psycopg[binary]' matplotlib
#     ci/with-server python3 demo/spectra.py        # build/spectra.png

# %%
import gzip
import pathlib

import matplotlib.pyplot as plt
import psycopg

folder = pathlib.Path(__file__).parent.parent if "__file__" in globals() else pathlib.Path()
connection = psycopg.connect(autocommit=True, prepare_threshold=None)
connection.execute("CREATE EXTENSION IF NOT EXISTS gpusort")
connection.execute("CREATE TEMP TABLE spectra (accession text PRIMARY KEY, mz float8[], intensity float4[])")
with gzip.open(folder / "data/massbank_cc0.copy.gz") as file, connection.cursor().copy("COPY spectra FROM STDIN") as copy:
    copy.write(file.read())

# %% [markdown]
# ## Before: the spectrum as it is stored

# %%
accession = "MSBNK-HBM4EU-HB000616"
cursor = connection.cursor(binary=True)
mz, intensity = cursor.execute("SELECT mz, intensity FROM spectra WHERE accession = %s", (accession,)).fetchone()

# %% [markdown]
# ## After: the ten strongest peaks, each relative to the strongest
#
# Of this spectrum, and of the one that is most like it by the cosine of all peaks within 10 ppm.

# %%
rows = cursor.execute(
    """SELECT other.accession, round(score::numeric, 3), mz_top, intensity_top, gpusort.array_max(intensity_top)
       FROM spectra one, spectra other,
           gpusort.array_cosine(one.mz, one.intensity, other.mz, other.intensity, 10, ppm => true) score,
           gpusort.array_top_n_by(other.mz, other.intensity, 10) mz_top,
           gpusort.array_top_n(other.intensity, 10) intensity_top
       WHERE one.accession = %s
       ORDER BY other.accession <> one.accession, score DESC LIMIT 2""",
    (accession,),
).fetchall()

# %%
figure, (before, after) = plt.subplots(2, 1, figsize=(9, 7), sharex=True, layout="constrained")
before.vlines(mz, 0, intensity, color="0.4")
before.set(title=f"Before: {accession}, {len(mz)} peaks", ylabel="intensity", ylim=(0, None))
for sign, color, (name, score, masses, intensities, base) in zip((1, -1), ("tab:blue", "tab:orange"), rows):
    heights = [sign * 100 * x / base for x in intensities]
    after.vlines(masses, 0, heights, color=color, label=name if sign > 0 else f"most like it: {name}, cosine {score}")
    for mass, height in zip(masses, heights):
        if any(abs(mass - other) < 3 and abs(height) < abs(higher) for other, higher in zip(masses, heights)):
            continue  # a label would cover that of its stronger neighbor
        after.annotate(f"{mass:.2f}", (mass, height), (0, 3 * sign), textcoords="offset points", rotation=90, ha="center",
                       va="bottom" if sign > 0 else "top", fontsize=8)
after.axhline(0, color="0.2", linewidth=0.8)
after.set(title="After: the ten strongest peaks", xlabel="m/z", ylabel="% of the strongest", ylim=(-150, 150))
after.yaxis.set_major_formatter(lambda y, _: f"{abs(y):.0f}" if abs(y) <= 100 else "")
after.legend(loc="lower left", fontsize=8)
(folder / "build").mkdir(exist_ok=True)
figure.savefig(folder / "build/spectra.png", dpi=120)
