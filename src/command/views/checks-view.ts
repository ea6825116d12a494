import {type CommandPlace, nameCommands} from '../../core/command-words.ts';
import {formatAmount} from '../../core/format.ts';
import type {Check} from '../../doctor/check.ts';
import type {Result} from '../result.ts';

const signs = {good: '✓', note: '·', fault: '✗'} as const;

/**
 * Returns what was checked, each with what to do about it, and a line that counts the faults. Commands in it are named as
 * typed in `place`.
 */
export function checksResult(found: readonly Check[], place: CommandPlace): Extract<Result, {kind: 'group'}> {
	const checks = found.map(({name, state, finding, fix}) => {
		return {name, state, finding, fix: fix === undefined ? null : nameCommands(fix, place)};
	});
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
			{kind: 'text', text: faults === 0 ? 'Nothing is broken.' : `${formatAmount(faults, 'fault')}.`},
		],
		data: {ok: faults === 0, checks},
	};
}
