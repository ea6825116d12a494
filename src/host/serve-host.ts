import {randomBytes} from 'node:crypto';
import process from 'node:process';
import type {Surroundings} from '../command/program.ts';
import {exitStatus} from '../core/error.ts';
import {shellLine} from '../core/program-name.ts';
import {personHere} from '../link/find-host.ts';
import {listenLocally} from '../link/local-host.ts';
import {openHome} from '../storage/home.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {type Admit, admitWithToken} from './admission.ts';
import {realFolders} from './folders.ts';
import {createHost} from './host.ts';
import {openWebWay, type WebWay} from './open-way.ts';
import {createShares} from './shares.ts';

type Options = Pick<Surroundings, 'compose' | 'env' | 'stdout' | 'stderr' | 'version'> & {
	/** The folders that sessions may be in; that of the process without any. */
	readonly folders: readonly string[];
	/** `unix` for the socket alone, or `host:port` for WebSocket, too. */
	readonly listen: string;
	/** Where clients reach that through a proxy with TLS. */
	readonly publicUrl: string | undefined;
	readonly json: boolean;
	/** Aborts when the user, or the system, ends the program. */
	readonly signal: AbortSignal;
};

/** How long sessions may take to end their commands and MCP servers. */
const closeMs = 10_000;

/**
 * Runs `service host`: keeps sessions running until the user ends it, or another version replaces it. Then every run is
 * interrupted, and what the sessions started is ended. Returns the exit status. Throws AppError("conflict") if a host runs
 * already.
 */
export async function serveHost({
	compose,
	env,
	stdout,
	stderr,
	version,
	json,
	signal,
	...options
}: Options): Promise<number> {
	const {folders, listen, publicUrl} = options;
	const real = realFolders(folders.length > 0 ? folders : [process.cwd()]);
	const home = openHome(env);
	const token = randomBytes(32).toString('base64url');
	let drained = () => {};
	const ended = new Promise<number>(resolve => {
		const interrupt = () => resolve(exitStatus.interrupted);
		signal.addEventListener('abort', interrupt, {once: true});
		// It keeps running when its terminal is closed.
		process.on('SIGHUP', () => undefined);
		drained = () => resolve(0);
	});
	const shares = createShares();
	const host = createHost({
		compose,
		env,
		folders: real,
		version,
		person: personHere(),
		onDrained: () => drained(),
		onSessionEnded: id => shares.endSession(id),
	});
	let web: WebWay | undefined;
	const withToken = admitWithToken(token);
	const admit: Admit = open => {
		const admission = withToken(open);
		return admission && {...admission, ...(web && {sharing: web.sharing})};
	};
	const listening = await listenLocally(home, token, socket => host.serve({input: socket, output: socket}, admit));
	const {socket} = listening;
	try {
		web =
			listen === 'unix'
				? undefined
				: await openWebWay({address: listen, publicUrl, host, shares, home, token, env, folder: real[0]});
	} catch (error) {
		await listening.close();
		throw error;
	}

	const {putBackCutOff} = await import('../session/receive-session.ts');
	for (const sentence of await putBackCutOff(home)) {
		stderr.write(`${safeLine(sentence)}\n`);
	}

	const where = web ? {url: web.url} : {socket};
	stdout.write(
		json
			? `${JSON.stringify(where)}\n`
			: [
					`Sessions in ${real.join(', ')} keep running here.`,
					...(web
						? webLines(web.url, stdout.isTTY ? token : undefined)
						: [`Socket: ${socket}`, `Attach: ${shellLine('attach')}`]),
					'',
				].join('\n'),
	);
	const status = await ended;
	const timeout = new Promise<void>(resolve => setTimeout(resolve, closeMs).unref());
	await Promise.race([host.close('The host was ended.'), timeout]);
	shares.close();
	await web?.close();
	await listening.close();
	return status;
}

/** Whoever has the token in the link is the user who runs the host, on every machine: no log gets it. */
function webLines(url: string, token: string | undefined): readonly string[] {
	return [
		`Listening on ${url}`,
		`Attach: ${shellLine(`attach --at ${url}`)}`,
		...(token === undefined
			? []
			: [
					`From another machine of yours: ${shellLine(`attach --at ${url}/join/${token}`)}`,
					`That link has all your rights. For somebody else: ${shellLine('host share <session>')}`,
				]),
	];
}
