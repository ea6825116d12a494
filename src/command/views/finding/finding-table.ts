import type {Lenient} from '../../../contract/lenient.ts';
import type {Finding} from '../../../contract/resources/finding.ts';
import type {Json} from '../../../core/json.ts';
import {measure} from '../../render/facts.ts';
import type {Result} from '../../result.ts';

/** Returns findings, one a row, in the given order. */
export function findingTable(
	findings: readonly Lenient<Finding>[],
	{empty, notes, data}: {readonly empty: string; readonly notes: readonly string[]; readonly data: Json},
): Result {
	return {
		kind: 'table',
		columns: [
			{label: 'finding', whole: true},
			{label: 'severity'},
			{label: 'score', align: 'right'},
			{label: 'attack', spare: true},
			{label: 'status', spare: true},
			{label: 'created', spare: true},
			{label: 'goal', spare: true},
		],
		rows: findings.map(finding => [
			finding.id ?? '',
			finding.severity ?? '',
			measure(finding.best_score) ?? '',
			finding.attack_name ?? '',
			finding.finding_status ?? '',
			finding.created_at ? {at: finding.created_at} : '',
			finding.goal ?? '',
		]),
		empty,
		opens: {words: ['finding', 'show'], ids: findings.map(({id}) => id ?? '')},
		notes,
		data,
	};
}
