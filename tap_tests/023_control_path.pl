# An extension that lies in folders of its own, as `make install prefix=...` puts it: since
# PostgreSQL 18 extension_control_path finds its scripts, dynamic_library_path its modules.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use EmulatedDevice;
use File::Copy;
use File::Path qw(make_path);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($share, $libraries) = map { my $folder = `pg_config $_`; chomp $folder; $folder } qw(--sharedir --pkglibdir);
plan skip_all => 'this PostgreSQL has no extension_control_path'
	if `pg_config --version` =~ /^PostgreSQL (\d+)/ && $1 < 18;

# The device module has a name that the server's own folder does not hold.
my $prefix = PostgreSQL::Test::Utils::tempdir();
make_path("$prefix/share/extension", "$prefix/lib");
copy($_, "$prefix/share/extension") or die "$_: $!" foreach glob "$share/extension/gpusort*";
copy("$libraries/gpusort.so", "$prefix/lib") or die $!;
copy("$libraries/gpusort_emulated.so", "$prefix/lib/gpusort_elsewhere.so") or die $!;

my $node = PostgreSQL::Test::Cluster->new('control_path');
$node->init;
$node->append_conf('postgresql.conf', qq{
extension_control_path = '$prefix/share'
dynamic_library_path = '$prefix/lib:\$libdir'
shared_preload_libraries = 'gpusort'
gpusort.device_library = '\$libdir/gpusort_elsewhere'
gpusort.min_gpu_keys = 0});
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpusort');
is($node->safe_psql('postgres', q{
		SELECT string_agg(DISTINCT m[1], ' ') FROM regexp_split_to_table(pg_read_file('/proc/self/maps'), E'\n') line,
			regexp_match(line, '(/\S*/gpusort\S*)') m WHERE m IS NOT NULL}),
	"$prefix/lib/gpusort.so", 'a backend has the library of the prefix and no other');
ok(wait_ready($node), 'the worker finds the device module beside the library');
is($node->safe_psql('postgres', "SET gpusort.engine = 'gpu'; SELECT gpusort.array_sort(ARRAY[3, 1, 2])"),
	'{1,2,3}', 'which sorts');

# Without preloading, the functions load the library by themselves.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
is($node->safe_psql('postgres', 'SELECT gpusort.array_sort(ARRAY[3, 1, NULL, 2])'), '{1,2,3,NULL}', 'it works without preloading');
$node->stop;

done_testing();
