import type {AnswerOf} from '../../../contract/endpoint.ts';
import type {endpoints} from '../../../contract/endpoints.ts';
import {originalOf} from '../../../contract/lenient.ts';
import {measure, seconds, yesOrNo} from '../../render/facts.ts';
import type {Result} from '../../result.ts';

type Attacks = AnswerOf<(typeof endpoints)['getAttackSpans']>;

const right = 'right';

/** Returns the attacks of an assessment, one a row. Rates and scores are unchanged, because the API doesn't say their scale. */
export function attackTable(attacks: Attacks): Result {
	return {
		kind: 'table',
		columns: [
			{label: 'attack'},
			{label: 'ASR', align: right},
			{label: 'score', align: right},
			{label: 'jailbreak'},
			{label: 'trials', align: right},
			{label: 'time', align: right},
			{label: 'target', cut: 'middle'},
			{label: 'goal', spare: true},
			{label: 'attacker', spare: true},
			{label: 'evaluator', spare: true},
		],
		rows: attacks.map(attack => [
			attack.attack_name ?? '',
			measure(attack.asr) ?? '',
			measure(attack.best_score) ?? '',
			yesOrNo(attack.is_jailbreak) ?? '',
			trialsOf(attack),
			seconds(attack.execution_time_s) ?? '',
			attack.target_model ?? '',
			attack.goal ?? '',
			attack.attacker_model ?? '',
			attack.evaluator_model ?? '',
		]),
		empty: 'No attacks yet. Push traces that record some: `trace push <file>`',
		...(attacks.length > 0 && {notes: ['ASR is the attack success rate.']}),
		data: originalOf(attacks),
	};
}

type Counts = {readonly finished_trials?: number; readonly total_trials?: number};

/** Returns `3 of 10`, as far as known. */
export function trialsOf({finished_trials: finished, total_trials: total}: Counts): string {
	return [measure(finished), measure(total)].filter(Boolean).join(' of ');
}
