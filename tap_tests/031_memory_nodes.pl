# Hosts with several memory nodes: a worker runs near its device, and the arena lies near all of them.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use EmulatedDevice;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $sysfs = PostgreSQL::Test::Utils::tempdir;
my $allowed = cpus('self');
my ($first_cpu) = $allowed =~ /^(\d+)/;

# The CPUs that a process may run on.
sub cpus
{
	my ($pid) = @_;
	return slurp_file("/proc/$pid/status") =~ /^Cpus_allowed_list:\s+(\S+)/m ? $1 : '';
}

# Has sysfs describe a device so. Without a CPU list there is no file of it.
sub describe
{
	my ($device, $memory_node, $cpu_list) = @_;
	mkdir "$sysfs/$device";
	unlink "$sysfs/$device/local_cpulist";
	append_to_file("$sysfs/$device/local_cpulist", "$cpu_list\n") if defined $cpu_list;
	unlink "$sysfs/$device/numa_node";
	append_to_file("$sysfs/$device/numa_node", "$memory_node\n");
	return;
}

# Starts the server again, with what sysfs says now, and so many devices that are ready.
sub start_near
{
	my ($node, $devices) = @_;
	local $ENV{GPUSORT_EMULATED_SYSFS} = $sysfs;
	local $ENV{GPUSORT_EMULATED_DEVICES} = $devices;
	$node->restart;
	wait_ready($node, 60, $_) foreach 0 .. $devices - 1;
	return;
}

# A line for each piece of memory of a process that is spread over memory nodes.
sub spread
{
	my ($pid) = @_;
	return grep { /interleave/ } split /\n/, slurp_file("/proc/$pid/numa_maps");
}

my $node = start_emulated('near', 'log_min_messages = debug1', 'huge_pages = off', 'gpusort.gpu_buffer_size = 64MB');
is(device($node, 'memory_node IS NULL'), 't', 'the memory node of a device that sysfs does not describe is not known');
is(cpus(worker_pid($node)), $allowed, 'its worker runs anywhere');

describe(0, 1, $first_cpu);
start_near($node, 1);
is(device($node, 'memory_node'), 1, 'the memory node is shown');
is(cpus(worker_pid($node)), $first_cpu, 'the worker runs on the CPUs there');
is($node->safe_psql('postgres', q{SELECT substring(pg_read_file('/proc/self/status') FROM 'Cpus_allowed_list:\s+(\S+)')}),
	$allowed, 'backends run anywhere');
is(scalar(spread(worker_pid($node))), 0, 'the arena of a single device is not spread');
is($node->safe_psql('postgres', 'SET gpusort.engine = gpu; SELECT gpusort.array_sort(ARRAY[3, 1, 2])'), '{1,2,3}', 'it sorts');
SKIP:
{
	skip 'the worker may run on one CPU only', 1 if $allowed eq $first_cpu;
	like(slurp_file($node->logfile), qr/LOG:  gpusort device 0 is on memory node 1, and its worker runs on the 1 CPUs/, 'the log says so');
}
my $pid = worker_pid($node);
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 60000)");
wait_ready($node);
is(cpus(worker_pid($node)), $first_cpu, 'so does the worker that takes over');

describe(0, 1, "$first_cpu,1000-1002");
start_near($node, 1);
is(cpus(worker_pid($node)), $first_cpu, 'of the CPUs there it uses those that it may');

# What leaves a worker alone: there is no error, and the device is ready.
foreach my $case (
	[ -1, $first_cpu, 'no memory node' ],
	[ 0, undef, 'no list of CPUs' ],
	[ 0, '', 'a memory node without CPUs' ],
	[ 0, '1000-1002', 'CPUs that it may not use' ],
	[ 0, '100000-100001', 'CPUs that no kernel has' ],
	[ 0, "$first_cpu-", 'a list that is cut off' ],
	[ 0, "$first_cpu;", 'a list that is none' ],
	[ 0, $allowed, 'all CPUs' ])
{
	my ($memory_node, $list, $name) = @$case;
	describe(0, $memory_node, $list);
	my $log = -s $node->logfile;
	start_near($node, 1);
	is(device($node, 'state, memory_node'), $memory_node < 0 ? 'ready|' : 'ready|0', "$name: the device is ready");
	is(cpus(worker_pid($node)), $allowed, "$name: the worker runs anywhere");
	unlike(slurp_file($node->logfile, $log), qr/memory node/, "$name: the log says nothing of it");
}

# Two devices: slabs are of both, so the arena is spread if they are on two memory nodes.
describe($_, 0, $first_cpu) foreach 0 .. 1;
start_near($node, 2);
is(cpus($node->safe_psql('postgres', "SELECT worker_pid FROM gpusort.devices WHERE device = $_")), $first_cpu, "worker $_ runs near its device")
	foreach 0 .. 1;
is(scalar(spread(worker_pid($node))), 0, 'the arena of two devices on one memory node is not spread');

describe(1, 1, $allowed);
my $log = -s $node->logfile;
start_near($node, 2);
is($node->safe_psql('postgres', 'SELECT memory_node FROM gpusort.devices ORDER BY device'), "0\n1", 'each device has a memory node of its own');
is($node->safe_psql('postgres', 'SET gpusort.engine = gpu; SELECT gpusort.array_sort(ARRAY[3, 1, 2])'), '{1,2,3}', 'both sort');
SKIP:
{
	skip 'the kernel does not let the worker place memory', 2
		if slurp_file($node->logfile, $log) =~ /the arena cannot be spread over them: (Operation not permitted|Function not implemented)/;
	is(scalar(spread($node->safe_psql('postgres', "SELECT worker_pid FROM gpusort.devices WHERE device = $_"))), 1, "the arena is spread, as worker $_ sees it")
		foreach 0 .. 1;
}
$node->stop;

done_testing();
