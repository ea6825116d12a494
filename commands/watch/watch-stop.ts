import * as z from 'zod/mini';
import {wholeNumber} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';
import {AppError} from '../../src/core/error.ts';

export default command({
	name: 'stop',
	summary: 'Stop a watch, or all of them',
	args: z.object({number: z.optional(wholeNumber), all: z.optional(z.boolean())}),
	positional: ['number'],
	describe: {number: 'its number, as /watch shows it', all: 'stop all'},
	examples: ['watch stop --all'],
	whileRunning: true,
	where: 'app',

	run(
		{number, all = false},
		{
			program: {
				store,
				watches: {logs: watches},
			},
		},
	) {
		const on = store.getState().watches;
		const [only] = on;
		if (all || (number === undefined && on.length < 2)) {
			for (const watch of on) {
				watches.stop(watch.number);
			}

			const text =
				on.length === 0
					? 'No active watches.'
					: on.length === 1
						? `Stopped watch ${only?.number}.`
						: `Stopped all ${on.length} watches.`;
			return {kind: 'text', text, data: on.map(watch => watch.number)};
		}

		if (number === undefined) {
			throw new AppError('usage', 'Several watches are active.', {hint: 'Pass a number or --all. List them: /watch'});
		}

		if (!watches.stop(number)) {
			throw new AppError('not-found', `Watch ${number} not found.`, {hint: 'List them: /watch'});
		}

		return {kind: 'text', text: `Stopped watch ${number}.`, data: [number]};
	},
});
