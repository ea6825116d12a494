import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {AppError} from '../src/core/error.ts';
import type {HostClient} from '../src/link/host-client.ts';

const run = command({
	name: 'run',
	summary: 'Keep sessions running on this machine',
	args: z.object({
		folder: z.optional(z.array(z.string())),
		listen: z._default(z.string(), 'unix'),
		publicUrl: z.optional(z.string()),
	}),
	positional: ['folder'],
	rest: true,
	describe: {
		folder: 'where sessions may be, with everything below; this folder by default',
		listen: 'host:port of this machine for WebSocket; unix by default, a socket that only your user can open',
		publicUrl: 'URL for terminals, if a proxy with TLS is in front of --listen',
	},
	examples: ['host', 'host ~/code --json', 'host --listen 127.0.0.1:8720 --public-url https://agents.example.com'],
	where: 'shell',

	run: ({folder = [], listen, publicUrl}) => ({
		kind: 'panel',
		panel: {show: 'host', folders: folder, listen, publicUrl},
	}),
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

const where = 'URL of the server that hosts it; the host of this machine by default';

const share = command({
	name: 'share',
	summary: 'Create a one-time link to a session',
	args: z.object({
		session: z.string(),
		driver: z._default(z.boolean(), false),
		for: z._default(z.string(), '1h'),
		at: z.optional(z.string()),
	}),
	positional: ['session'],
	describe: {
		session: 'id or a unique prefix',
		driver: 'the guest may also send messages and answer questions',
		for: 'how long the guest may stay, such as 30m, 8h or 2d; 1h by default',
		at: where,
	},
	examples: ['host share 3f2a', 'host share 3f2a --driver --for 30m'],

	async run({for: lasts, ...given}, context) {
		const {shareSession} = await import('../src/command/views/share-view.ts');
		return shareSession(context, {at: undefined, ...given, lasts});
	},
});

const shares = command({
	name: 'shares',
	summary: 'List the links to your sessions',
	args: z.object({at: z.optional(z.string())}),
	describe: {at: where},
	examples: ['host shares'],

	run: async ({at}, context) => (await import('../src/command/views/share-view.ts')).listShares(context, at),
});

const unshare = command({
	name: 'unshare',
	summary: 'End a link, and disconnect its guest',
	args: z.object({link: z.string(), at: z.optional(z.string())}),
	positional: ['link'],
	describe: {link: 'id of the link, or a unique prefix', at: where},
	examples: ['host unshare 5c1e'],

	run: async ({link, at}, context) => (await import('../src/command/views/share-view.ts')).endShare(context, link, at),
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

/** Does something with the host of this machine. */
async function withHost<Value>(context: CommandContext, use: (client: HostClient) => Promise<Value>): Promise<Value> {
	const {withHostAt} = await import('../src/command/views/share-view.ts');
	return withHostAt(context, undefined, use);
}

export default noun({
	name: 'host',
	summary: 'Keep sessions running on this machine',
	verbs: [run, bridge, share, shares, unshare, end, stop],
	fallback: 'run',
});
