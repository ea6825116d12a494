import * as z from 'zod/mini';
import {countArgument} from '../src/command/argument-types.ts';
import {command} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {type Copyable, copyKinds, nameOf} from '../src/command/copy/copy-kinds.ts';
import {type Result, unchanged} from '../src/command/result.ts';
import {cutLine} from '../src/core/cut-text.ts';
import {AppError} from '../src/core/error.ts';
import {blocksOf} from '../src/core/session/transcript.ts';

const kinds = [...copyKinds, 'pick'] as const;

export default command({
	name: 'copy',
	summary: 'Copy the last answer, code, a command or its output',
	args: z.object({
		what: z.optional(z.enum(kinds)),
		number: z.optional(countArgument()),
		print: z.optional(z.boolean()),
	}),
	positional: ['what', 'number'],
	describe: {
		what: 'answer, code, command, output or message; pick shows a list',
		number: 'which one, 1 is the newest',
		print: 'print it here, whole, instead of copying it',
	},
	examples: ['copy', 'copy code 2', 'copy pick', 'copy answer --print'],
	where: 'app',
	whileRunning: true,

	async run({what = 'answer', number = 1, print = false}, context) {
		const {copied, copyables} = await import('../src/command/copy/copyable.ts');
		const all = copyables(blocksOf(context.program.store.getState().transcript));
		const found =
			what === 'pick' ? await pick(all, context) : all.find(each => each.kind === what && each.number === number);
		if (found) {
			return print ? printed(found) : copied(found, context);
		}

		if (what === 'pick' && all.length > 0) {
			return {...unchanged, text: 'Nothing copied.'};
		}

		const count = all.filter(({kind}) => kind === what).length;
		throw new AppError('not-found', `Nothing to copy: ${missing(what, count)}.`);
	},
});

function printed({kind, number, text}: Copyable): Result {
	return {kind: 'lines', lines: text.trimEnd().split('\n'), colored: true, data: {kind, number, text}};
}

function missing(what: (typeof kinds)[number], count: number): string {
	if (what === 'pick') {
		return 'the session is empty';
	}

	const noun = {
		answer: 'no answer',
		message: 'no message',
		code: 'no code block',
		command: 'no command',
		output: 'no output',
	}[what];
	return count === 0 ? `${noun} yet` : `only ${count} of ${what} here`;
}

/** Lets the user choose one; undefined if they cancel, or if there is none. */
async function pick(all: readonly Copyable[], {ui: {interact}}: CommandContext): Promise<Copyable | undefined> {
	const choices = all.map((each, index) => ({
		id: String(index),
		label: nameOf(each),
		detail: cutLine(each.kind === 'output' ? `${each.about}: ${each.text}` : each.text, 200),
	}));
	const id = choices.length > 0 ? await interact.choose({title: 'Copy', choices}) : undefined;
	return id === undefined ? undefined : all[Number(id)];
}
