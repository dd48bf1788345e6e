# A file system of 1 MB, for tests of a full disk.
package SmallDisk;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(start_small_disk);

# A process in a mount namespace of its own holds the file system, until its input ends (IPC::Run::finish); the server
# reaches it by that process's root. Returns the process, the folder, and why there is none.
sub start_small_disk
{
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my ($in, $out, $err) = ('', '', '');
	my $holder = eval {
		IPC::Run::start([ 'unshare', '--user', '--map-root-user', '--mount', 'sh', '-c',
				"mount -t tmpfs -o size=1m,mode=700 none '$folder' && echo \$\$ && exec cat" ], '<', \$in, '>', \$out, '2>', \$err);
	};
	return (undef, undef, 'no program unshare') if !$holder;
	eval { IPC::Run::pump($holder) while $out !~ /\n/; };
	my ($pid) = $out =~ /^(\d+)\n/;
	my $small = "/proc/" . ($pid // 'none') . "/root$folder";
	return ($holder, $small, undef) if $pid && -w $small;
	eval { IPC::Run::finish($holder) };
	return (undef, undef, "no user may mount a file system here: $err");
}

1;
