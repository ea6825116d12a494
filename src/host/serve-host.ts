import {randomBytes} from 'node:crypto';
import process from 'node:process';
import type {Surroundings} from '../command/program.ts';
import {AppError, exitStatus} from '../core/error.ts';
import {shellLine} from '../core/program-name.ts';
import {personHere} from '../link/find-host.ts';
import {listenLocally} from '../link/local-host.ts';
import {openHome} from '../storage/home.ts';
import {realFolder} from '../storage/real-folder.ts';
import {admitWithToken} from './admission.ts';
import {createHost} from './host.ts';

type Options = Pick<Surroundings, 'compose' | 'env' | 'stdout' | 'version'> & {
	/** The folders that sessions may be in; that of the process without any. */
	readonly folders: readonly string[];
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
export async function serveHost({compose, env, stdout, version, folders, json, signal}: Options): Promise<number> {
	const real = (folders.length > 0 ? folders : [process.cwd()]).map(folder => {
		const path = realFolder(folder);
		if (path === undefined) {
			throw new AppError('usage', `The folder “${folder}” does not exist.`, {hint: 'Name another one.'});
		}

		return path;
	});
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
	const host = createHost({
		compose,
		env,
		folders: real,
		version,
		person: personHere(),
		onDrained: () => drained(),
	});
	const admit = admitWithToken(token);
	const listening = await listenLocally(home, token, socket => host.serve({input: socket, output: socket}, admit));
	const {socket} = listening;
	stdout.write(
		json
			? `${JSON.stringify({socket})}\n`
			: `Sessions in ${real.join(', ')} keep running here.\nSocket: ${socket}\nAttach: ${shellLine('attach')}\n`,
	);
	const status = await ended;
	const timeout = new Promise<void>(resolve => setTimeout(resolve, closeMs).unref());
	await Promise.race([host.close('The host was ended.'), timeout]);
	await listening.close();
	return status;
}
