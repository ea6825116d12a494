import type {Statement} from '../statement.ts';

/** The columns that findings are filtered by. */
const filters = ['assessment_id', 'severity', 'category', 'attack_name'] as const;

/** What else a list with a filter is sorted and filtered by. Texts of findings are short enough to stand here together. */
const others = ['best_score', 'updated_at', 'severity_rank', ...filters] as const;

const texts = ['severity', 'category', 'attack_name'] as const;

/** The most characters of a text that findings are sorted and filtered by: PostgreSQL indexes 2704 bytes a row. */
export const maxSortedLength = 200;

const tooLong = texts.map(name => `length(${name}) > ${maxSortedLength}`).join(' or ');
const shortened = texts.map(name => `${name} = substr(${name}, 1, ${maxSortedLength})`).join(', ');

/**
 * An index for each filter of findings with all that they are sorted by, so that a page sorts entries of the index, and reads no
 * other rows. The filter leads, so that SQLite, which has no statistics of a new index, doesn't use it for a list without filter.
 */
export const filteredFindings: readonly Statement[] = [
	`update findings set ${shortened} where ${tooLong}`,
	...filters.map(
		filter =>
			`create index findings_with_${filter} on findings
				(${filter}, project_id, created_at desc, id, ${others.filter(name => name !== filter).join(', ')})`,
	),
	'drop index findings_by_severity_name',
];
