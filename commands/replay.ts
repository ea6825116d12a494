import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {replaySpeeds} from '../src/command/result.ts';
import {AppError} from '../src/core/error.ts';

const {minimum, maximum} = replaySpeeds;

export default command({
	name: 'replay',
	summary: 'Play a saved session in the terminal; nothing is sent',
	args: z.object({session: z.optional(z.string()), speed: z.optional(z.string())}),
	positional: ['session'],
	completes: {session: 'saved-session'},
	describe: {
		session: 'id or prefix; defaults to the latest session of this folder',
		speed: `times faster than recorded, ${minimum} to ${maximum}; gaps are 2 seconds at most`,
	},
	examples: ['replay', 'replay 3f2a --speed 4'],
	where: 'shell',

	async run({session, speed = '1'}, {program, flags}) {
		const times = speed.trim() === '' ? Number.NaN : Number(speed.replace(/x$/i, ''));
		if (!(times >= minimum && times <= maximum)) {
			throw new AppError('usage', `Invalid --speed “${speed}”: use a number from ${minimum} to ${maximum}.`);
		}

		const {records} = await program.session.saved.read(await program.session.saved.findOrLatest(session));
		// A program reads the events themselves.
		return flags.json
			? {kind: 'lines', lines: [], records: records.map(record => JSON.parse(JSON.stringify(record)))}
			: {kind: 'panel', panel: {show: 'replay', replay: {records, speed: times}}};
	},
});
