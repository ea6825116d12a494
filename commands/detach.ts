import {randomUUID} from 'node:crypto';
import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {unchanged} from '../src/command/result.ts';
import {AppError} from '../src/core/error.ts';
import {shellLine} from '../src/core/program-name.ts';
import {blocksOf} from '../src/core/session/transcript.ts';
import type {HostClient} from '../src/link/host-client.ts';

/** What tells the agent that its run was moved. */
const goOn = 'You were interrupted because this session moved to another process. Continue where you stopped.';

export default command({
	name: 'detach',
	summary: 'Let the session run on the host, and quit',
	args: z.object({}),
	whileRunning: true,
	where: 'app',

	async run(_, context) {
		const {
			program,
			ui: {interact, live},
		} = context;
		const {store, session, project} = program;
		if (session.hosted) {
			return {kind: 'quit'};
		}

		const {transcript, approvalMode, model, unsaved} = store.getState();
		if (!blocksOf(transcript).some(({kind}) => kind === 'user')) {
			throw new AppError('conflict', 'This session has no message yet.', {hint: 'Send one, then detach.'});
		}

		if (unsaved) {
			throw new AppError('conflict', `This session is not saved (${unsaved}).`, {hint: 'Fix that first.'});
		}

		const isRunning = transcript.run !== undefined;
		if (
			isRunning &&
			!(await interact.confirm('The agent works. Interrupt it here, and let it continue on the host?'))
		) {
			return unchanged;
		}

		const client = await hostFor(project.folder.path(), context);
		if (!client) {
			return unchanged;
		}

		try {
			// Its journal is open in one process at a time.
			await live?.start();
			await client.request('_service/begin', {
				key: randomUUID(),
				folder: project.folder.path(),
				resume: transcript.session,
				mode: approvalMode,
				...(model && {model}),
				...(isRunning && {prompt: goOn}),
			});
		} catch (error) {
			throw withWayBack(error, transcript.session);
		} finally {
			client.close();
		}

		const short = transcript.session.slice(0, 8);
		store.setState({parting: `The session runs on the host. Attach again: ${shellLine(`attach ${short}`)}`});
		return {kind: 'quit'};
	},
});

function withWayBack(error: unknown, session: string): unknown {
	return error instanceof AppError
		? new AppError(error.code, error.message, {hint: `The session is saved: \`/resume ${session.slice(0, 8)}\``})
		: error;
}

/** Returns the host of this machine; undefined if the user wants none. Throws AppError("upgrade") for another version. */
async function hostFor(folder: string, {program, ui}: CommandContext): Promise<HostClient | undefined> {
	const {findHost, isOther, startHost} = await import('../src/link/find-host.ts');
	const {env, version} = program.local;
	const wish = {at: undefined, env, version, folder};
	try {
		const client = await findHost(wish);
		if (!isOther(client, version)) {
			return client;
		}

		const {version: theirs} = client.welcome();
		client.close();
		throw new AppError('upgrade', `The host runs version ${theirs}; this is ${version}.`, {
			hint: 'Let it end with `/host stop`, then detach again.',
		});
	} catch (error) {
		if (!(error instanceof AppError && error.code === 'not-found')) {
			throw error;
		}
	}

	if (!(await ui.interact.confirm(`No host runs on this machine. Start one for ${folder}?`))) {
		return undefined;
	}

	await startHost([folder], env);
	return findHost(wish);
}
