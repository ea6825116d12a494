import {randomUUID} from 'node:crypto';
import process from 'node:process';
import {AppError} from '../../core/error.ts';
import {shellLine} from '../../core/program-name.ts';
import type {HostClient} from '../../link/host-client.ts';
import type {CommandContext} from '../context.ts';
import type {Result} from '../result.ts';

/** Does something with a host: that of this machine without a place, or one that is reached over HTTP. */
export async function withHostAt<Value>(
	context: CommandContext,
	at: string | undefined,
	use: (client: HostClient) => Promise<Value>,
): Promise<Value> {
	const [{findHost}, {provePlace}] = await Promise.all([
		import('../../link/find-host.ts'),
		import('../../platform/host-pass.ts'),
	]);
	const {env, version} = context.program.local;
	const proven = at === undefined ? undefined : await provePlace(at, context);
	const client = await findHost({at: proven?.at, env, version});
	try {
		return await use(client);
	} finally {
		client.close();
	}
}

type Wish = {
	readonly session: string;
	readonly driver: boolean;
	readonly lasts: string;
	readonly at: string | undefined;
};

/** Creates a link to a session, and shows it with the command that revokes it. */
export async function shareSession(context: CommandContext, {session, driver, lasts, at}: Wish): Promise<Result> {
	const role = driver ? 'driver' : 'observer';
	const asked = {key: randomUUID(), session, role, for_ms: readDuration(lasts)} as const;
	const shared = await withHostAt(context, at, client => client.request('_service/share', asked));
	const [{encode}, {charsetOf}] = await Promise.all([import('uqr'), import('../../terminal/abilities.ts')]);
	// Half cells have no form in ASCII.
	const hasCells = charsetOf(context.program.local.env, process.platform) === 'utf-8';
	const place = at === undefined ? '' : ` --at ${at}`;
	return {
		kind: 'record',
		title: `The first person who opens this link ${driver ? 'drives' : 'watches'} the session.`,
		fields: [
			['Attach', shellLine(`attach --at ${shared.link}`)],
			['Ends', shared.ends_at],
			['Revoke', shellLine(`host unshare ${shared.id}${place}`)],
		],
		// Low correction makes it smaller: a screen has no scratches.
		...(hasCells && {code: encode(shared.link, {ecc: 'L', border: 2}).data}),
		data: {...shared, role},
	};
}

/** Lists the links to the sessions of the user. */
export async function listShares(context: CommandContext, at: string | undefined): Promise<Result> {
	const {links} = await withHostAt(context, at, client => client.request('_service/shares', {}));
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
}

/** Ends a link. */
export async function endShare(context: CommandContext, link: string, at: string | undefined): Promise<Result> {
	const {session} = await withHostAt(context, at, client => client.request('_service/unshare', {id: link}));
	return {kind: 'text', text: `The link to session ${session.slice(0, 8)} has ended.`, data: {session}};
}

/** Reads `90s`, `30m`, `8h` or `2d` as milliseconds. Throws AppError("usage") for another text. */
function readDuration(text: string): number {
	const [, amount = '', unit = ''] = /^(\d{1,6})(s|m|h|d)$/.exec(text.trim()) ?? [];
	const seconds = {s: 1, m: 60, h: 3600, d: 86_400}[unit];
	if (seconds === undefined) {
		throw new AppError('usage', `Invalid duration “${text}”.`, {hint: 'Use --for 30m, 8h or 2d.'});
	}

	return Number(amount) * seconds * 1000;
}
