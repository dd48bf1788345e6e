# The extension's objects in a database, as pg_dump writes them for pg_upgrade: each with all of
# its properties, its owner, rights, comment and membership in the extension.
package ExtensionCatalogue;
use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Utils;

our @EXPORT = qw(extension_catalogue catalogue_differences);

# Object => its definition. The database should hold nothing but the extension.
sub extension_catalogue
{
	my ($node, $database) = @_;
	my ($dump, $errors) = run_command(
		[ 'pg_dump', '--binary-upgrade', '--schema-only', '-d', $node->connstr($database) ]);
	my %objects;
	die $errors if $errors ne '';
	# The first part is about the dump itself; the last ends with the word that it is complete.
	my (undef, @entries) = split /^--\n(?=-- Name: )/m, $dump =~ s/^--\n-- PostgreSQL database dump complete.*//msr;
	foreach my $entry (@entries)
	{
		my ($name, $type, $schema) = $entry =~ /^-- Name: (.*); Type: ([A-Z ]+); Schema: ([^;]+);/ or die "no object: $entry";
		$name = "$schema.$name" unless $schema eq 'gpusort' || $schema eq '-';
		$entry =~ s/^-- For binary upgrade, must preserve .*\n(SELECT .*\n)+\n*//mg;
		$objects{"$type $name"} = $entry;
	}
	return \%objects;
}

# Each difference as text that begins with the object's name.
sub catalogue_differences
{
	my ($updated, $fresh) = @_;
	my @differences;
	foreach my $name (sort keys %{ { %$updated, %$fresh } })
	{
		my ($old, $new) = map { $_->{$name} } $updated, $fresh;
		if (!defined $old) { push @differences, "$name: CREATE EXTENSION makes it, ALTER EXTENSION UPDATE does not"; next; }
		if (!defined $new) { push @differences, "$name: CREATE EXTENSION does not make it, ALTER EXTENSION UPDATE leaves it"; next; }
		next if $old eq $new;
		my (%in_old, %in_new);
		$in_old{$_} = 1 foreach split /\n/, $old;
		$in_new{$_} = 1 foreach split /\n/, $new;
		push @differences, join("\n", "$name is not the same",
			(map { "  after CREATE EXTENSION:        $_" } grep { !$in_old{$_} } split /\n/, $new),
			(map { "  after ALTER EXTENSION UPDATE:  $_" } grep { !$in_new{$_} } split /\n/, $old));
	}
	return @differences;
}

1;
