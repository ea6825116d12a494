import * as z from 'zod/mini';
import {command, noun} from '../../src/command/command.ts';

const text = (value: string) => ({kind: 'text', text: value}) as const;

export const greet = command({
	name: 'greet',
	aliases: ['hello'],
	summary: 'Greet someone',
	args: z.object({
		name: z.string(),
		title: z.optional(z.string()),
		twice: z.optional(z.boolean()),
		baseUrl: z._default(z.string(), 'none'),
	}),
	positional: ['name', 'title'],
	describe: {name: 'who', twice: 'say it again'},
	examples: ['greet Ada --twice'],
	run: args => ({...text('hi'), data: {...args, title: args.title ?? null, twice: args.twice ?? false}}),
});

export const note = command({
	name: 'note',
	summary: 'Keep a note',
	args: z.object({text: z.string(), to: z.optional(z.string())}),
	positional: ['text'],
	rest: true,
	run: args => text(args.text),
});

export const label = command({
	name: 'label',
	summary: 'Label a thing',
	args: z.object({name: z.string(), by: z.string(), on: z.string(), tag: z.optional(z.array(z.string()))}),
	positional: ['name'],
	run: ({name}) => text(name),
});

export const gather = command({
	name: 'gather',
	summary: 'Gather files',
	args: z.object({into: z.string(), file: z.array(z.string()), dry: z.optional(z.boolean())}),
	positional: ['into', 'file'],
	rest: true,
	run: ({file}) => text(file.join(' ')),
});

const set = command({
	name: 'set',
	summary: 'Keep a secret',
	args: z.object({owner: z.string(), secret: z.optional(z.string()), baseUrl: z.optional(z.string())}),
	positional: ['owner', 'secret'],
	secret: 'secret',
	run: () => text('kept'),
});

const list = command({name: 'list', aliases: ['ls'], summary: 'List them', args: z.object({}), run: () => text('')});

export const enter = command({
	name: 'enter',
	summary: 'Enter with a password',
	args: z.object({password: z.optional(z.string())}),
	positional: ['password'],
	secret: 'password',
	run: () => text('in'),
});

export const screen = command({
	name: 'screen',
	summary: 'Only on a screen',
	args: z.object({}),
	where: 'app',
	run: () => text('drawn'),
});

export const shell = command({
	name: 'shell',
	summary: 'Only in a shell',
	args: z.object({}),
	where: 'shell',
	run: () => text('printed'),
});

export const vault = noun({name: 'vault', summary: 'Secrets', verbs: [set, list], fallback: 'list'});
export const store = noun({name: 'store', aliases: ['shop'], summary: 'Things', verbs: [set, list]});
export const entries = [greet, note, enter, vault, store, screen, shell];
