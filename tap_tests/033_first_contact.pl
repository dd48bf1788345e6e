# What a new user does who is no superuser: create the extension, preload it, look at its status, dump
# and restore; and the lines of README.md by which a superuser preloads it, which keep what is there.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Connections;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('contact');
$node->init;
$node->append_conf('postgresql.conf', "session_preload_libraries = 'auto_explain'");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN CREATEDB; CREATE ROLE other LOGIN');
my @owner = (extra_params => [ '-U', 'owner' ]);
$node->safe_psql('postgres', 'CREATE DATABASE shop OWNER owner');
$node->safe_psql('shop', 'CREATE EXTENSION gpusort; CREATE TABLE sales AS SELECT i % 1000 AS price FROM generate_series(1, 20000) i; ANALYZE sales', @owner);

# Not preloaded.
my $plan = 'EXPLAIN (COSTS OFF) SELECT * FROM sales ORDER BY price';
my $status = 'SELECT item, value FROM gpusort.status()';
unlike($node->safe_psql('shop', $plan, @owner), qr/Gpusort/, 'not preloaded: PostgreSQL sorts');
my $shown = $node->safe_psql('shop', $status, @owner);
like($shown, qr/^loaded\|by a call in this session/m, 'status() says so');
like($shown, qr/^to preload\|(ALTER DATABASE shop SET local_preload_libraries = 'gpusort')$/m, 'and what to do');
my ($todo) = $shown =~ /^to preload\|(.*)$/m;
like($shown, qr/^GPU\|none: gpusort is not in shared_preload_libraries$/m, 'why there is no GPU');
like($shown, qr/^vector unit\|\w+/m, 'the vector unit');
my ($ret, $stdout, $stderr) = $node->psql('shop', q{SET gpusort.explain_choices = on; SELECT gpusort.array_sort('{2,1}'::int[])}, @owner);
like($stderr, qr/NOTICE:  gpusort was not preloaded.*\nHINT:  ALTER DATABASE/, 'explain_choices tells of it');
($ret, $stdout, $stderr) = $node->psql('shop', q{SELECT gpusort.array_sort('{2,1}'::int[])}, @owner);
is($stderr, '', 'who did not ask is not told');

# Preloaded by the owner of the database.
$node->safe_psql('shop', $todo, @owner);
like($node->safe_psql('shop', "SET gpusort.force_nodes = on; $plan", @owner), qr/GpusortRows/, 'preloaded by the owner: gpusort sorts');
like($node->safe_psql('shop', $status, @owner), qr/^loaded\|by local_preload_libraries$/m, 'status() says how');
my $loaded = q{SELECT value FROM gpusort.status() WHERE item = 'loaded'};
foreach my $case ([ q{'gpusort_test'}, 'local' ], [ q{'gpusort_test', 'gpusort'}, 'session' ], [ q{'$libdir/gpusort.so'}, 'session' ])
{
	my ($libraries, $by) = @$case;
	$node->safe_psql('postgres', "ALTER ROLE owner IN DATABASE shop SET session_preload_libraries = $libraries");
	is($node->safe_psql('shop', $loaded, @owner), "by ${by}_preload_libraries", "and takes no other library for it: session_preload_libraries = $libraries");
}
$node->safe_psql('postgres', 'ALTER ROLE owner IN DATABASE shop RESET session_preload_libraries');

# Views.
foreach my $view ('devices', 'stats', 'jobs', 'memory', 'arena()')
{
	($ret, $stdout, $stderr) = $node->psql('shop', "SELECT * FROM gpusort.$view", extra_params => [ '-U', 'other' ]);
	is($stderr, '', "any role may read $view");
}

# Dump and restore by the owner.
my $dump = PostgreSQL::Test::Utils::tempdir() . '/shop.dump';
$node->command_ok([ 'pg_dump', '-U', 'owner', '-Fc', '-f', $dump, 'shop' ], 'the owner dumps');
$node->safe_psql('postgres', 'CREATE DATABASE restored', @owner);
$node->command_ok([ 'pg_restore', '-U', 'owner', '-d', 'restored', $dump ], 'and restores without an error');
is($node->safe_psql('restored', q{SELECT gpusort.count_distinct(price) FROM sales}, @owner), 1000, 'what works');
$node->safe_psql('restored', 'DROP EXTENSION gpusort', @owner);
is($node->safe_psql('restored', q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'gpusort%'}), 0, 'DROP EXTENSION leaves no schema');
($ret, $stdout, $stderr) = $node->psql('restored', 'CREATE SCHEMA other; CREATE EXTENSION gpusort SCHEMA other', @owner);
like($stderr, qr/must be installed in schema "pg_catalog"/, 'another schema is refused');

# A library that is missing, and the way out for any role.
$node->safe_psql('shop', "ALTER DATABASE shop SET local_preload_libraries = 'no_such_library'", @owner);
($stdout, $stderr) = ask($node, 'shop', 'SELECT 1', '-U', 'owner');
like($stderr, qr/could not access file/, 'a missing library keeps sessions out');
{
	local $ENV{PGOPTIONS} = '-c local_preload_libraries=';
	$node->safe_psql('shop', 'ALTER DATABASE shop RESET local_preload_libraries', @owner);
}
is($node->safe_psql('shop', 'SELECT 1', @owner), 1, 'PGOPTIONS lets its owner in, who takes it back');

# The lines for superusers of a page, as installed.
my ($documents) = run_command([ 'pg_config', '--docdir' ]);
foreach my $page ('docs/install.md')
{
	open my $in, '<', "$documents/extension/gpusort/$page" or die "$documents: $!";
	my @lines = map { /(SELECT format.*\\gexec)/ ? $1 : () } <$in>;
	ok(@lines > 0, "$page has such lines");
	foreach my $line (@lines)
	{
		$node->safe_psql('shop', $line);
		my ($setting) = $line =~ /SET (\w+_preload_libraries)/;
		if ($setting eq 'shared_preload_libraries') { $node->restart }
		else { $node->reload }
		like($node->safe_psql('shop', "SHOW $setting"), qr/gpusort/, "$page: $setting has gpusort");
		like($node->safe_psql('shop', 'SHOW session_preload_libraries'), qr/auto_explain/, 'and auto_explain is still there');
		$node->safe_psql('shop', "ALTER SYSTEM RESET $setting");
		$node->safe_psql('shop', "ALTER DATABASE shop RESET $setting") if $setting ne 'shared_preload_libraries';
	}
}
$node->stop;

done_testing();
