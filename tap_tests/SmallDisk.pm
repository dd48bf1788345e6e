# A file system of 1 MB, for tests of a full disk; and servers with little shared memory.
package SmallDisk;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(start_small_disk start_with_small_memory);

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

# Starts a server in a mount namespace of its own, where /dev/shm has this size. Returns why it could not. PostgreSQL refuses to
# run as root, so there the server runs in a second namespace of users.
sub start_with_small_memory
{
	my ($node, $size) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my ($group) = split / /, $(;
	my ($real) = grep { -x } map { "$_/pg_ctl" } split /:/, $ENV{PATH};
	my $start = "unshare --user --map-root-user --mount sh -c 'mount -t tmpfs -o size=$size,mode=1777 none /dev/shm && " .
		"exec unshare --user --map-user=$< --map-group=$group \"\$@\"' sh";
	my $why_not = `$start true 2>&1`;
	return "no user may mount a file system here: $why_not" if $? != 0;
	append_to_file("$folder/pg_ctl", "#!/bin/sh\nexec $start $real \"\$@\"\n");
	chmod 0755, "$folder/pg_ctl";
	local $ENV{PATH} = "$folder:$ENV{PATH}";
	$node->start;
	return;
}

1;
