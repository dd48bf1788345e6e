"""Sessions that sort while things happen to their server; see ci/operations.

Sessions ask queries of which each returns true if it is right. Where a session is ended it connects again. Errors are
right only of the kinds that its end, the end of the server or the lack of space explain.
"""
import atexit
import collections
import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import psycopg2

PGBIN = pathlib.Path(os.environ['PG_CONFIG']).parent
QUERIES = [
    'SELECT bool_and(s = sorted) FROM (SELECT gpusort.array_sort(a) AS s, sorted FROM arrays OFFSET 0) q',
    'SELECT gpusort.array_sort(a) = sorted FROM arrays WHERE id = 7',
    'SELECT count(*) = 30000 AND bool_and(k > before) IS NOT FALSE FROM (SELECT k, lag(k) OVER () AS before FROM (SELECT k, t FROM keys ORDER BY k OFFSET 0) s) q',
    'SELECT md5(string_agg(t, NULL)) = (SELECT by_text FROM answers) FROM (SELECT t, k FROM keys ORDER BY t OFFSET 0) q',
    'SELECT md5(gpusort.sorted_agg(k)::text) = (SELECT all_keys FROM answers) FROM keys',
    'SELECT count(DISTINCT t) = 30000 AND gpusort.median(k) = 15000.5 FROM keys',
    'SELECT md5(string_agg(n::text, NULL)) = (SELECT by_number FROM answers) FROM (SELECT n, t FROM keys ORDER BY n DESC, k OFFSET 0) q']
PREPARED = '''
    CREATE EXTENSION gpusort;
    CREATE FUNCTION inject_fault(fault text, device int4 DEFAULT 0) RETURNS void AS '$libdir/gpusort_test', 'test_inject_fault' LANGUAGE C STRICT;
    CREATE TABLE arrays AS SELECT id, a, ARRAY(SELECT x FROM unnest(a) x ORDER BY x) AS sorted
        FROM (SELECT id, ARRAY(SELECT hashint4(id * 1000 + i) FROM generate_series(1, 200) i) AS a FROM generate_series(1, 300) id) q;
    CREATE TABLE keys AS SELECT (i * 7919::int8 % 30011)::int4 AS r, md5(i::text) COLLATE "C" AS t, (i % 1000)::numeric / 7 AS n FROM generate_series(1, 30000) i;
    ALTER TABLE keys ADD k int4;
    UPDATE keys SET k = numbered.k FROM (SELECT r, row_number() OVER (ORDER BY r) AS k FROM keys) numbered WHERE numbered.r = keys.r;
    SET gpusort.enable_sort = off;
    SET gpusort.enable_aggregates = off;
    CREATE TABLE answers AS SELECT (SELECT md5(string_agg(t, NULL ORDER BY t)) FROM keys) AS by_text, (SELECT md5(array_agg(k ORDER BY k)::text) FROM keys) AS all_keys,
        (SELECT md5(string_agg(n::text, NULL ORDER BY n DESC, k)) FROM keys) AS by_number;
    VACUUM (FREEZE, ANALYZE)'''
HUGE_PAGES = pathlib.Path('/proc/sys/vm/nr_hugepages')
# Allocates what is free of the first GPU, in pieces of 64 MB, by the driver's own functions.
TAKE_DEVICE_MEMORY = '''
import ctypes, time
cuda, context, piece = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
while cuda.cuMemAlloc_v2(ctypes.byref(piece), ctypes.c_size_t(1 << 26)) == 0:
    pass
time.sleep(2)'''
# Errors by what explains them: the end of a session or of the server, too little space, and a canceled query.
EXPLAINED = {'08': 'connection lost', '57P': 'ended', '53': 'no space or memory', '57014': 'cancelled'}


def connect(**options):
    connection = psycopg2.connect('', connect_timeout=5, **options)
    connection.autocommit = True
    return connection


def ask(query, **options):
    """The first row of a query, in a session of its own."""
    with contextlib.closing(connect(**options)) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone() if cursor.description else None


def kernel_pages():
    """How many huge pages the kernel keeps; 0 where it has none to tell of."""
    with contextlib.suppress(OSError):
        return int(HUGE_PAGES.read_text())
    return 0


def explanation(error):
    # The library has no code of its own where the connection ends.
    code = error.pgcode or '08'
    return next((text for prefix, text in sorted(EXPLAINED.items(), key=lambda item: -len(item[0])) if code.startswith(prefix)), None)


class Sessions:
    """Threads with a session each, and what they have seen."""

    def __init__(self, number, seed, **options):
        self.options, self.stop = options, threading.Event()
        self.right, self.errors, self.wrong = 0, collections.Counter(), []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run, args=(random.Random(seed + i),)) for i in range(number)]
        for thread in self.threads:
            thread.start()

    def run(self, rng):
        connection = None
        while not self.stop.is_set():
            query = rng.choice(QUERIES)
            try:
                if connection is None or connection.closed:
                    connection = connect(application_name='load', **self.options)
                    with connection.cursor() as cursor:
                        cursor.execute(f"SET work_mem = '{rng.choice(['64kB', '256kB', '4MB'])}'; SET gpusort.force_nodes = {rng.choice(['on', 'off'])}; SET max_parallel_workers_per_gather = {rng.choice([0, 2])}")
                with connection.cursor() as cursor:
                    cursor.execute(query)
                    result = cursor.fetchone()[0]
                with self.lock:
                    self.right += result is True
                    if result is not True:
                        self.wrong.append(f'{result} from {query}')
            except psycopg2.Error as error:
                what = explanation(error)
                with self.lock:
                    if what is None:
                        self.wrong.append(f'error {error.pgcode}: {str(error).strip()} from {query}')
                    else:
                        self.errors[what] += 1
                if what in ('connection lost', 'ended'):
                    connection = None
                    self.stop.wait(0.1)
        if connection is not None:
            connection.close()

    def await_answers(self, number):
        """Waits until so many results were right, half a minute at most."""
        for _ in range(300):
            if self.right >= number:
                break
            time.sleep(0.1)

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()


class Server:
    """The server of the sessions, and what can happen to it."""

    def __init__(self, rng):
        self.rng = rng
        self.data = pathlib.Path(ask('SHOW data_directory')[0])
        self.socket = os.environ['PGHOST']
        self.small = self.data.parent / 'small'
        self.has_device = self.wait()
        self.emulated = ask("SELECT current_setting('gpusort.device_library') ~ 'emulated'")[0]
        self.standby_seen = collections.Counter()
        self.huge_pages = 'try'
        self.on_huge_pages = 0
        self.kernel_pages = kernel_pages()
        self.reserve_huge_pages()

    def as_owner(self, *command, **options):
        owner = self.data.stat()
        drop = () if os.getuid() == owner.st_uid else ('setpriv', f'--reuid={owner.st_uid}', f'--regid={owner.st_gid}', '--clear-groups')
        return subprocess.run([*drop, *map(str, command)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)

    def control(self, *what, data=None):
        data = data or self.data
        self.as_owner(PGBIN / 'pg_ctl', '-D', data, '-l', data.parent / 'server.log', '-w', *what)

    def wait(self):
        """Waits until the server answers and its devices have started. True if one is ready."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            with contextlib.suppress(psycopg2.Error):
                starting, ready = ask("SELECT coalesce(bool_or(state IN ('starting', 'restarting')), false), coalesce(bool_or(state = 'ready'), false) FROM gpusort.devices")
                if ready or not starting:
                    return ready
            time.sleep(0.1)
        raise SystemExit('operations: the server or its device has not come back')

    def process(self, query):
        """The process that a query names, which may have ended."""
        row = ask(query)
        if not row or row[0] is None:
            raise ProcessLookupError
        return row[0]

    def signal(self, function, process):
        if not ask(f'SELECT {function}({process})')[0]:
            raise ProcessLookupError

    def a_session(self):
        return self.process("SELECT pid FROM pg_stat_activity WHERE application_name = 'load' ORDER BY random() LIMIT 1")

    def worker(self):
        return self.process('SELECT worker_pid FROM gpusort.devices WHERE device = 0')

    def session_ended(self):
        self.signal('pg_terminate_backend', self.a_session())

    def query_cancelled(self):
        self.signal('pg_cancel_backend', self.a_session())

    def session_killed(self):
        os.kill(self.a_session(), signal.SIGKILL)

    def worker_ended(self):
        self.signal('pg_terminate_backend', self.worker())

    def worker_killed(self):
        os.kill(self.worker(), signal.SIGKILL)

    def device_fault(self):
        """One of the emulated device's, for a second."""
        ask(f"SELECT inject_fault('{self.rng.choice(['error 3', 'wrong 2', 'exit 1', 'delay 50 20', 'wrong_fetch 1 1'])}')")
        time.sleep(1)
        with contextlib.suppress(psycopg2.Error):
            ask("SELECT inject_fault('none')")

    def device_memory_taken(self):
        """The emulated device has none for a second. Of a GPU another program takes what is free, for two."""
        if not self.emulated:
            subprocess.run([sys.executable, '-c', TAKE_DEVICE_MEMORY], check=True, stderr=subprocess.PIPE)
            return
        ask("SELECT inject_fault('out_of_memory 1000')")
        time.sleep(1)
        with contextlib.suppress(psycopg2.Error):
            ask("SELECT inject_fault('none')")

    def device_hangs(self):
        ask("SELECT inject_fault('hang')")
        time.sleep(3)

    def no_temporary_space(self):
        if self.small.exists():
            ask("ALTER SYSTEM SET temp_tablespaces = 'small'")
        else:
            ask("ALTER SYSTEM SET temp_file_limit = '64kB'")
        ask('SELECT pg_reload_conf()')
        time.sleep(2)
        ask('ALTER SYSTEM RESET temp_tablespaces')
        ask('ALTER SYSTEM RESET temp_file_limit')
        ask('SELECT pg_reload_conf()')

    def restarted(self):
        self.control('-m', 'fast', 'restart')

    def crashed(self):
        self.control('-m', 'immediate', 'stop')
        self.control('start')

    def reserve_huge_pages(self):
        """Asks the kernel to keep as many huge pages as the server's shared memory takes."""
        wanted = int(ask('SHOW shared_memory_size_in_huge_pages')[0]) + 16
        with contextlib.suppress(OSError):
            HUGE_PAGES.write_text(f'{self.kernel_pages + wanted}')

    def huge_pages_switched(self):
        self.huge_pages = {'try': 'off', 'off': 'try'}[self.huge_pages]
        ask(f"ALTER SYSTEM SET huge_pages = '{self.huge_pages}'")
        self.control('-m', 'fast', 'restart')
        postmaster = (self.data / 'postmaster.pid').read_text().split()[0]
        # Other servers may have taken them.
        self.on_huge_pages += re.search(r'KernelPageSize: +2048 kB', pathlib.Path(f'/proc/{postmaster}/smaps').read_text()) is not None

    def standby_promoted(self):
        """A standby is made, answers queries, is promoted under them, and answers more."""
        data = self.data.parent / 'standby'
        shutil.rmtree(data, ignore_errors=True)
        # Where the small file system is part of the backup, it is left out: its tablespace is empty.
        self.as_owner(PGBIN / 'pg_basebackup', '-h', self.socket, '-D', data, '-R', '-c', 'fast', *(('-T', f'{self.small}={self.data.parent}/standby_small') if self.small.exists() else ()))
        with open(data / 'postgresql.auto.conf', 'a') as settings:
            settings.write("port = 54399\n")
        sessions = None
        try:
            self.control('start', data=data)
            sessions = Sessions(4, self.rng.randint(0, 10 ** 6), port=54399)
            time.sleep(2)
            self.control('promote', data=data)
            sessions.await_answers(sessions.right + 1)
            time.sleep(2)
        finally:
            if sessions is not None:
                sessions.end()
            with contextlib.suppress(subprocess.CalledProcessError):
                self.control('-m', 'immediate', 'stop', data=data)
            shutil.rmtree(data, ignore_errors=True)
            shutil.rmtree(self.data.parent / 'standby_small', ignore_errors=True)
        self.standby_seen['right'] += sessions.right
        self.standby_seen.update(sessions.errors)
        return sessions.wrong + ([] if sessions.right > 0 else ['a standby has answered nothing'])

    def events(self):
        """What can happen here, and by name why the rest cannot."""
        always = [self.session_ended, self.query_cancelled, self.session_killed, self.no_temporary_space, self.restarted, self.crashed, self.huge_pages_switched, self.standby_promoted]
        device = [self.worker_ended, self.worker_killed, self.device_memory_taken]
        faults = [self.device_fault, self.device_hangs]
        if self.emulated:
            return always + device + faults, {}
        why = {event.__name__: 'no emulated device' for event in faults}
        if self.has_device:
            return always + device, why
        return always, why | {event.__name__: 'no device' for event in device}

    def add_small_space(self):
        """Mounts a file system of 8 MB for temporary files, if that is allowed."""
        self.small.mkdir(exist_ok=True)
        if os.getuid() != 0 or subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=8m,mode=777', 'none', self.small], stderr=subprocess.DEVNULL).returncode != 0:
            self.small.rmdir()
            return
        folder = self.small / 'space'
        folder.mkdir()
        os.chown(folder, self.data.stat().st_uid, self.data.stat().st_gid)
        self.small = folder
        ask(f"CREATE TABLESPACE small LOCATION '{folder}'")
        ask('GRANT CREATE ON TABLESPACE small TO PUBLIC')

    def give_back(self):
        """Unmounts that file system, and has the kernel keep no more huge pages than before."""
        if self.small.name == 'space':
            subprocess.run(['umount', '-l', self.small.parent], check=False)
        with contextlib.suppress(OSError):
            HUGE_PAGES.write_text(f'{self.kernel_pages}')

    def memory(self):
        """kB that the device's worker has of its own, or 0 where there is none.  One that has just ended comes again."""
        for _ in range(300 if self.has_device else 0):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError, StopIteration):
                status = pathlib.Path(f'/proc/{self.worker()}/status').read_text()
                return int(next(line.split()[1] for line in status.splitlines() if line.startswith('RssAnon:')))
            time.sleep(0.1)
        return 0

    def crashes(self):
        """Lines of the log about processes that a signal has ended which was not sent here."""
        return re.findall(r'.*(?:was terminated by signal (?!9\b)|PANIC|TRAP).*', (self.data.parent / 'server.log').read_text(errors='replace'))

    def left_behind(self):
        """What a server without sessions should not have."""
        lost, = ask('SELECT slabs - free + sessions + waiters FROM gpusort.arena()') if self.has_device else (0,)
        files, = ask("SELECT count(*) FROM pg_ls_tmpdir()")
        return [f'{lost} slabs or sessions'] * (lost != 0) + [f'{files} temporary files'] * (files != 0)


def main():
    seconds, number = float(sys.argv[1]), int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randint(1, 10 ** 9)
    print(f'seed {seed}', flush=True)
    with contextlib.closing(connect()) as connection, connection.cursor() as cursor:
        for statement in PREPARED.split(';\n'):
            cursor.execute(statement)
    rng = random.Random(seed)
    server = Server(rng)
    atexit.register(server.give_back)
    server.add_small_space()
    done, sessions = collections.Counter(), Sessions(number, seed)
    wrong, memory = [], None
    events, skipped = server.events()
    try:
        todo, end = [], time.monotonic() + seconds
        while time.monotonic() < end or len(done) < len(events) and time.monotonic() < end + 120:
            # Each event once before any comes again, and in the end those that have not happened yet.
            todo = todo or rng.sample(events, len(events))
            if time.monotonic() >= end:
                todo = [event for event in events if event.__name__ not in done]
            event = todo.pop()
            try:
                wrong += event() or []
                done[event.__name__] += 1
            except (psycopg2.Error, ProcessLookupError) as error:
                # Its victim has ended meanwhile, or the server.
                if isinstance(error, psycopg2.Error) and explanation(error) is None:
                    wrong.append(f'{event.__name__}: {error}')
            except subprocess.CalledProcessError as error:
                wrong.append(f'{event.__name__}: {error.stderr.decode().strip()}')
            server.wait()
            time.sleep(rng.random())
            memory = memory or server.memory()
    finally:
        sessions.end()
    server.wait()
    wrong += sessions.wrong + server.crashes() + [f'{event.__name__} has never happened' for event in events if event.__name__ not in done]
    for _ in range(100):
        left = server.left_behind()
        if not left:
            break
        time.sleep(0.1)
    grown = server.memory() - (memory or 0)
    print('\n'.join(f'{name.replace("_", " "):24}{count:5} times' for name, count in sorted(done.items())))
    print('\n'.join(f'{name.replace("_", " "):24} skipped: {why}' for name, why in sorted(skipped.items())), end='\n' if skipped else '')
    print(f'{number} sessions: {sessions.right} results right, ' + ', '.join(f'{count} {what}' for what, count in sorted(sessions.errors.items())))
    print('on standbys: ' + ', '.join(f'{count} {what}' for what, count in sorted(server.standby_seen.items())))
    print(f"memory of the device's worker: {grown:+} kB; on huge pages after {server.on_huge_pages} of the switches")
    print('\n'.join(f'WRONG: {what}' for what in wrong[:20]) or 'nothing wrong')
    print('left behind: ' + ', '.join(left) if left else 'nothing left behind')
    return 1 if wrong or left or grown > 64 * 1024 or sessions.right == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
