import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import type {Result} from '../src/command/result.ts';
import {AppError} from '../src/core/error.ts';
import {shellLine} from '../src/core/program-name.ts';

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
		withHost(context, undefined, async client => {
			const {listHosted} = await import('../src/link/find-host.ts');
			await client.request('_service/end', {session});
			const left = (await listHosted(client)).filter(({state}) => state !== 'ended').length;
			return {kind: 'text', text: `Ended. Sessions left: ${left}`, data: {left}};
		}),
});

const share = command({
	name: 'share',
	summary: 'Create a link with which somebody else watches a session, once',
	args: z.object({
		session: z.string(),
		driver: z._default(z.boolean(), false),
		for: z._default(z.string(), '1h'),
		at: z.optional(z.string()),
	}),
	positional: ['session'],
	describe: {
		session: 'id or a unique prefix',
		driver: 'they may also send messages and answer questions',
		for: 'how long the link and whoever came by it may stay, such as 30m, 8h or 2d; 1h by default',
		at: 'URL of the server that hosts it; the host of this machine by default',
	},
	examples: [
		'host share 3f2a',
		'host share 3f2a --driver --for 30m',
		'host share 3f2a --at https://agents.example.com',
	],

	run: ({session, driver, for: lasts, at}, context) =>
		withHost(context, at, async (client): Promise<Result> => {
			const {randomUUID} = await import('node:crypto');
			const role = driver ? 'driver' : 'observer';
			const shared = await client.request('_service/share', {
				key: randomUUID(),
				session,
				role,
				for_ms: readDuration(lasts),
			});
			const {id, link, ends_at: endsAt} = shared;
			return {
				kind: 'record',
				title: driver
					? 'Whoever opens this link first drives the session.'
					: 'Whoever opens this link first watches the session.',
				fields: [
					['Attach', `${shellLine(`attach --at ${link}`)}`],
					['Ends', endsAt],
					['Revoke', shellLine(`host unshare ${id}${at === undefined ? '' : ` --at ${at}`}`)],
				],
				data: {...shared, role},
			};
		}),
});

const shares = command({
	name: 'shares',
	summary: 'List the links to your sessions',
	args: z.object({at: z.optional(z.string())}),
	describe: {at: 'URL of the server that hosts them; the host of this machine by default'},
	examples: ['host shares'],

	run: ({at}, context) =>
		withHost(context, at, async (client): Promise<Result> => {
			const {links} = await client.request('_service/shares', {});
			return {
				kind: 'table',
				columns: [{label: 'id', whole: true}, {label: 'session'}, {label: 'role'}, {label: 'state'}, {label: 'ends'}],
				rows: links.map(({id, session, role, used, connected, ends_at}) => [
					{id},
					session.slice(0, 8),
					role,
					connected ? 'attached' : used ? 'used' : 'not used yet',
					{at: ends_at},
				]),
				empty: 'No links. Create one: `host share <session>`',
				data: JSON.parse(JSON.stringify(links)),
			};
		}),
});

const unshare = command({
	name: 'unshare',
	summary: 'End a link, and cut off whoever came by it',
	args: z.object({link: z.string(), at: z.optional(z.string())}),
	positional: ['link'],
	describe: {
		link: 'id of the link, or a unique prefix',
		at: 'URL of the server that hosts the session; the host of this machine by default',
	},
	examples: ['host unshare 5c1e'],

	run: ({link, at}, context) =>
		withHost(context, at, async client => {
			const {session} = await client.request('_service/unshare', {id: link});
			return {kind: 'text', text: `The link to session ${session.slice(0, 8)} has ended.`, data: {session}};
		}),
});

/** Reads `90s`, `30m`, `8h` or `2d`. Throws AppError("usage") for another text. */
function readDuration(text: string): number {
	const [, amount = '', unit = ''] = /^(\d{1,6})(s|m|h|d)$/.exec(text.trim()) ?? [];
	const seconds = {s: 1, m: 60, h: 3600, d: 86_400}[unit];
	if (seconds === undefined) {
		throw new AppError('usage', `Invalid duration “${text}”.`, {hint: 'Use --for 30m, 8h or 2d.'});
	}

	return Number(amount) * seconds * 1000;
}

const stop = command({
	name: 'stop',
	summary: 'End the host once its runs have ended',
	args: z.object({}),
	examples: ['host stop'],

	run: (_, context) =>
		withHost(context, undefined, async client => {
			await client.request('_service/drain', {});
			return {kind: 'text', text: 'The host ends when its runs have ended.', data: {stopping: true}};
		}),
});

type Client = Awaited<ReturnType<typeof import('../src/link/find-host.ts').findHost>>;

/** Does something with a host: that of this machine, or one that is reached over HTTP. */
async function withHost<Value>(
	context: CommandContext,
	at: string | undefined,
	use: (client: Client) => Promise<Value>,
): Promise<Value> {
	const {findHost} = await import('../src/link/find-host.ts');
	const {env, version} = context.program.local;
	const proven = at === undefined ? undefined : await prove(at, context);
	const client = await findHost({at: proven?.at, env, version});
	try {
		return await use(client);
	} finally {
		client.close();
	}
}

async function prove(at: string, context: CommandContext) {
	const {isWebPlace} = await import('../src/link/web-place.ts');
	return isWebPlace(at) ? await (await import('../src/platform/host-pass.ts')).provePlace(at, context) : {at};
}

export default noun({
	name: 'host',
	summary: 'Keep sessions running on this machine',
	verbs: [run, bridge, share, shares, unshare, end, stop],
	fallback: 'run',
});
