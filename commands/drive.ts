import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {AppError} from '../src/core/error.ts';

export default command({
	name: 'drive',
	summary: 'Ask to drive a session of a host, give it, or take it',
	args: z.object({how: z._default(z.enum(['ask', 'give', 'take']), 'ask'), word: z.optional(z.string())}),
	positional: ['how', 'word'],
	rest: true,
	describe: {how: 'ask who drives, give it to who asked, or take it at once', word: 'what the other terminal is told'},
	examples: ['drive', 'drive give', 'drive take "I fix the test"'],
	whileRunning: true,
	where: 'app',

	async run({how, word}, {program}) {
		const {hosted} = program.session;
		if (!hosted) {
			throw new AppError('usage', 'This session belongs to this app alone.', {
				hint: 'Sessions of a host are shared: `/attach`',
			});
		}

		const text = await hosted.drive(how, word);
		return {kind: 'text', text, data: {text}};
	},
});
