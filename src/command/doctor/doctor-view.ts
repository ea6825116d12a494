import type {Check} from '../../doctor/check.ts';
import type {Result} from '../result.ts';

const signs = {good: '✓', note: '·', fault: '✗'} as const;

/** Returns what was checked, each with what to do about it, and a line that counts the faults. */
export function doctorResult(checks: readonly Check[]): Result {
	const faults = checks.filter(({state}) => state === 'fault').length;
	return {
		kind: 'group',
		parts: [
			{
				kind: 'record',
				fields: checks.map(({name, state, finding, fix}) => [
					`${signs[state]} ${name}`,
					fix ? `${finding}\n→ ${fix}` : finding,
				]),
				data: null,
			},
			{kind: 'text', text: summary(faults)},
		],
		data: {
			ok: faults === 0,
			checks: checks.map(({name, state, finding, fix}) => ({name, state, finding, fix: fix ?? null})),
		},
	};
}

function summary(faults: number): string {
	return faults === 0 ? 'Nothing is broken.' : faults === 1 ? '1 fault.' : `${faults} faults.`;
}
