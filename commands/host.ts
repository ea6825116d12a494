import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {AppError} from '../src/core/error.ts';

const run = command({
	name: 'run',
	summary: 'Keep sessions running on this machine',
	args: z.object({folder: z.optional(z.array(z.string())), listen: z._default(z.enum(['unix']), 'unix')}),
	positional: ['folder'],
	rest: true,
	describe: {
		folder: 'where sessions may be, with everything below; this folder by default',
		listen: 'how terminals reach it: a socket that only your user can open',
	},
	examples: ['host', 'host ~/code --json'],
	where: 'shell',

	run: ({folder = []}) => ({kind: 'panel', panel: {show: 'host', folders: folder}}),
});

const bridge = command({
	name: 'bridge',
	summary: 'Connect standard input and output with the host',
	args: z.object({}),
	where: 'shell',
	isUnlisted: true,

	run(_, {ui: {interact}}) {
		// Left out at a terminal.
		if (!interact.piped) {
			throw new AppError('usage', 'ssh runs this command, for a terminal at its other end.', {
				hint: 'Attach from there: `$ attach user@machine`',
			});
		}

		return {kind: 'panel', panel: {show: 'bridge'}};
	},
});

const end = command({
	name: 'end',
	summary: 'End a session of the host, and its run',
	args: z.object({session: z.string()}),
	positional: ['session'],
	describe: {session: 'id or a unique prefix'},
	examples: ['host end 3f2a'],

	run: ({session}, context) =>
		withHost(context, async client => {
			const {listHosted} = await import('../src/link/find-host.ts');
			await client.request('_service/end', {session});
			const left = (await listHosted(client)).filter(({state}) => state !== 'ended').length;
			return {kind: 'text', text: `Ended. Sessions left: ${left}`, data: {left}};
		}),
});

const stop = command({
	name: 'stop',
	summary: 'End the host once its runs have ended',
	args: z.object({}),
	examples: ['host stop'],

	run: (_, context) =>
		withHost(context, async client => {
			await client.request('_service/drain', {});
			return {kind: 'text', text: 'The host ends when its runs have ended.', data: {stopping: true}};
		}),
});

type Client = Awaited<ReturnType<typeof import('../src/link/find-host.ts').findHost>>;

/** Does something with the host of this machine. */
async function withHost<Value>({program}: CommandContext, use: (client: Client) => Promise<Value>): Promise<Value> {
	const {findHost} = await import('../src/link/find-host.ts');
	const {env, version} = program.local;
	const client = await findHost({at: undefined, env, version});
	try {
		return await use(client);
	} finally {
		client.close();
	}
}

export default noun({
	name: 'host',
	summary: 'Keep sessions running on this machine',
	verbs: [run, bridge, end, stop],
	fallback: 'run',
});
