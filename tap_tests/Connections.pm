# Servers that refuse connections, as one does that starts again after a crash, and the end of one of its processes by
# SIGKILL, after which it starts again.
package Connections;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time sleep);

our @EXPORT = qw(ask ask_until kill_hard);

# A query's output and errors. psql that is refused ends before it has read its input, and writing to it then ends the
# test; so the query is an argument, and the input is empty.
sub ask
{
	my ($node, $database, $query, @options) = @_;
	my ($output, $errors) = ('', '');
	IPC::Run::run([ 'psql', '-XAtq', '-d', $node->connstr($database), @options, '-c', $query ], '<', '/dev/null', '>', \$output, '2>', \$errors);
	chomp($output, $errors);
	return ($output, $errors);
}

# Whether the answer is "t" in time.
sub ask_until
{
	my ($node, $database, $query) = @_;
	my $start = time;
	while (time < $start + $PostgreSQL::Test::Utils::timeout_default)
	{
		return 1 if (ask($node, $database, $query))[0] eq 't';
		sleep 0.1;
	}
	return 0;
}

# Kills a process of a server, and waits until the server has started again. Returns whether that was a crash: the
# process may have been at its end.
sub kill_hard
{
	my ($node, $pid) = @_;
	my $log = -s $node->logfile;
	my $start = time;
	kill 'KILL', $pid;
	sleep 0.01 while kill(0, $pid) && time < $start + $PostgreSQL::Test::Utils::timeout_default;
	# The postmaster, which has seen the end, takes or refuses a connection only when it has logged what it was.
	ask($node, 'postgres', 'SELECT 1');
	return 0 if slurp_file($node->logfile, $log) !~ /was terminated by signal 9/;
	$node->wait_for_log(qr/all server processes terminated; reinitializing.*database system is ready to accept connections/s, $log);
	return 1;
}

1;
