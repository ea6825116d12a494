import {type Lenient, originalOf} from '../../contract/lenient.ts';
import type {EvaluationTraceStats} from '../../contract/resources/evaluation.ts';
import {formatAmount, formatNumber} from '../../core/format.ts';
import {facts, seconds} from '../render/facts.ts';
import type {Result} from '../result.ts';

/** Returns how much of an evaluation was traced, and what the traces contain. Missing counts are 0, as specified. */
export function evaluationResult(stats: Lenient<EvaluationTraceStats>): Result {
	const count = (value: number | undefined) => formatNumber(value ?? 0);
	return {
		kind: 'record',
		fields: facts([
			['evaluation', stats.evaluation_id],
			['coverage', coverage(stats.traced_items ?? 0, stats.total_items ?? 0)],
			[
				'items',
				`${count(stats.total_items)} (${count(stats.traced_items)} traced, ${count(stats.untraced_items)} not)`,
			],
			[
				'spans',
				`${count(stats.total_spans)} (${formatAmount(stats.root_spans ?? 0, 'root')}, ${count(stats.error_spans)} failed)`,
			],
			['types of spans', stats.span_types?.join(', ') || 'none'],
			['duration', seconds(stats.total_duration_s ?? 0)],
		]),
		data: originalOf(stats),
	};
}

const cells = 20;

/** Returns `██████████░░░░░░░░░░ 50%`. Only all items are a full bar and 100%, only none an empty bar and 0%. */
function coverage(traced: number, total: number): string {
	if (total <= 0 || traced < 0 || traced > total) {
		return total === 0 && traced === 0 ? 'no items' : "the counts don't add up";
	}

	const within = (share: number, whole: number) =>
		traced === 0 ? 0 : traced === total ? whole : Math.min(whole - 1, Math.max(1, Math.round(share * whole)));
	const full = within(traced / total, cells);
	return `${'█'.repeat(full)}${'░'.repeat(cells - full)} ${within(traced / total, 100)}%`;
}
