# gpusort is a trusted extension: its script runs as superuser for whoever owns the database. Such a
# role can put nothing into its schema, and what lies elsewhere is not called by its functions in
# SQL, which any role may call.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('owner');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');
$node->safe_psql('postgres', 'CREATE DATABASE theirs OWNER owner');

# Functions of the names that the script calls, which fit its calls better than PostgreSQL's own.
my $traps = q{
	CREATE FUNCTION gpusort.collect(jsonb, text, int8) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN RAISE 'jsonb_object_agg called as %', current_user; END $$;
	CREATE AGGREGATE gpusort.jsonb_object_agg(text, int8) (SFUNC = gpusort.collect, STYPE = jsonb);
	CREATE FUNCTION gpusort.joined(text, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE '|| called as %', current_user; END $$;
	CREATE OPERATOR gpusort.|| (LEFTARG = text, RIGHTARG = text, FUNCTION = gpusort.joined);};
my ($status, $stdout, $stderr) = $node->psql('theirs', "CREATE SCHEMA gpusort; $traps", extra_params => [ '-U', 'owner' ]);
is($stderr, '', 'the owner of a database lays traps');

($status, $stdout, $stderr) = $node->psql('theirs', 'CREATE EXTENSION gpusort', extra_params => [ '-U', 'owner' ]);
like($stderr, qr/schema "gpusort" already exists/, 'a schema of that name is refused');
$node->safe_psql('theirs', 'DROP SCHEMA gpusort CASCADE; CREATE EXTENSION gpusort', extra_params => [ '-U', 'owner' ]);
($status, $stdout, $stderr) = $node->psql('theirs', $traps, extra_params => [ '-U', 'owner' ]);
like($stderr, qr/permission denied for schema gpusort/, 'which the owner may make, but add nothing to its schema');
is($node->safe_psql('theirs', 'SET search_path = information_schema; DROP EXTENSION gpusort CASCADE; CREATE EXTENSION gpusort_distributed CASCADE; SHOW search_path'),
	'information_schema', 'a session keeps its search_path');
$node->safe_psql('theirs', 'DROP EXTENSION gpusort_distributed');
($status, $stdout, $stderr) = $node->psql('theirs', 'CREATE SCHEMA gpusort_distributed; CREATE EXTENSION gpusort_distributed', extra_params => [ '-U', 'owner' ]);
like($stderr, qr/schema "gpusort_distributed" already exists/, 'nor does gpusort_distributed take a schema that is there');
$node->safe_psql('theirs', 'DROP SCHEMA gpusort_distributed; CREATE EXTENSION gpusort_distributed', extra_params => [ '-U', 'owner' ]);

# Functions in SQL are inlined into their callers, whose search_path holds then.
$node->safe_psql('theirs', q{
	CREATE FUNCTION public.unnest(int[]) RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN RAISE 'unnest called as %', current_user; END $$;
	CREATE DOMAIN public.float8 AS text CHECK (false)});
foreach my $path ('public', 'public, pg_catalog')
{
	is($node->safe_psql('theirs', qq{SET search_path = $path;
			SELECT value, ord FROM gpusort.unnest_sorted('{2,1}'::int[]); SELECT value FROM gpusort.unnest_sorted('{2,1}'::int[], true);
			SELECT value FROM gpusort.unnest_sorted('{2,NULL}'::int[], true, false);
			SELECT gpusort.array_median('{1,2}'::numeric[]), gpusort.array_percentile_cont('{1,2}'::numeric[], 0.5), gpusort.array_percentile_cont('{1,2}'::numeric[], '{0,1}')}),
		"1|1\n2|2\n2\n1\n2\n\n1.5|1.5|{1,2}", "with search_path = $path functions in SQL call PostgreSQL's own");
}
$node->stop;

done_testing();
