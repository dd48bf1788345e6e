# Aggregates that are computed in parts, as parallel workers and several servers do it: what is
# collected of some rows as bytes, and a result of such bytes.
package PartialAggregates;
use strict;
use warnings;

use Exporter 'import';

our @EXPORT = qw(create_partial_aggregates);

# Makes partial(aggregate, arguments ...), partial_of_row(aggregate, row of the arguments) and
# combine(aggregate, bytes, a value of the result's type).
sub create_partial_aggregates
{
	my ($node) = @_;
	$node->safe_psql('postgres', q{
		CREATE FUNCTION partial_transition(internal, regprocedure, VARIADIC "any") RETURNS internal
			AS 'gpusort_test', 'test_partial_transition' LANGUAGE C;
		CREATE FUNCTION partial_final(internal) RETURNS bytea AS 'gpusort_test', 'test_partial_final' LANGUAGE C;
		CREATE AGGREGATE partial(regprocedure, VARIADIC "any") (SFUNC = partial_transition, STYPE = internal, FINALFUNC = partial_final);
		CREATE FUNCTION partial_transition(internal, regprocedure, record) RETURNS internal
			AS 'gpusort_test', 'test_partial_row_transition' LANGUAGE C;
		CREATE AGGREGATE partial_of_row(regprocedure, record) (SFUNC = partial_transition, STYPE = internal, FINALFUNC = partial_final);
		CREATE FUNCTION combine_transition(internal, regprocedure, bytea, anyelement) RETURNS internal
			AS 'gpusort_test', 'test_combine_transition' LANGUAGE C;
		CREATE FUNCTION combine_final(internal, regprocedure, bytea, anyelement) RETURNS anyelement
			AS 'gpusort_test', 'test_combine_final' LANGUAGE C;
		CREATE AGGREGATE combine(regprocedure, bytea, anyelement)
			(SFUNC = combine_transition, STYPE = internal, FINALFUNC = combine_final, FINALFUNC_EXTRA);});
}

1;
