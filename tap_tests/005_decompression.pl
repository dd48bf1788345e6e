# Changed streams: gpusort's decompressors give what the server's give, or leave the
# stream to the server, and touch nothing beyond it.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('decompression');
$node->init;
$node->start;
$node->safe_psql('postgres', q{
	CREATE FUNCTION fuzz_decompression(method text, seed int8, streams int4, OUT whole int4, OUT changed_and_equal int4, OUT refused int4)
	AS '$libdir/gpusort_test', 'test_fuzz_decompression' LANGUAGE C STRICT VOLATILE;});

# Streams, of each of which three more are made. The second seed of lz4 has some whose end is
# not as the format asks, though they decompress.
foreach my $run ([ 'pglz', 1, 3000 ], [ 'lz4', 1, 3000 ], [ 'lz4', 7, 28000 ])
{
	my ($method, $seed, $streams) = @$run;
  SKIP:
	{
		skip "this server has no $method", 2
			if $method eq 'lz4' && $node->safe_psql('postgres', q{SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression'}) ne 't';
		my ($status, $stdout, $stderr) = $node->psql('postgres', "SELECT whole, changed_and_equal, refused FROM fuzz_decompression('$method', $seed, $streams)");
		is($stderr, '', "$method, seed $seed: no stream is taken for something else");
		my ($whole, $equal, $refused) = split /\|/, $stdout || '0|0|0';
		cmp_ok($equal + $refused, '>', $streams, "of $whole streams, $equal changed ones are taken, $refused refused");
	}
}
$node->stop;

done_testing();
