import type {Surroundings} from '../command/program.ts';
import {errorLine} from '../core/command-words.ts';
import {findHost} from '../link/find-host.ts';
import type {HostClient} from '../link/host-client.ts';
import {placeName} from '../link/web-place.ts';
import {openHome} from '../storage/home.ts';
import {makePrivateFolder} from '../storage/private-folder.ts';
import type {AttachWish} from '../store/session-slice.ts';
import {attachedProgram, createQuestionDesk} from './attached-program.ts';
import {createRemoteSession} from './remote-session.ts';

/** How often the way to the host is measured. */
const pingMs = 5000;

/** How long the host may take to answer, before the connection counts as cut. */
const answerMs = 15_000;

/**
 * Returns the surroundings of an app that shows a session of a host, over a connection that is open, or a new one. Throws `AppError` if
 * the host can't be reached.
 */
export async function attachTo<Given extends Surroundings>(
	{at, observes}: AttachWish,
	surroundings: Given,
	connected?: HostClient,
): Promise<Given> {
	const {store, env, version, compose} = surroundings;
	const client = connected ?? (await findHost({at, env, version, ...(observes && {rank: 'observer'})}));
	const {person} = client.welcome();
	const patch = (change: object) => {
		const {remote} = store.getState();
		store.setState({...(remote && {remote: {...remote, ...change}})});
	};
	store.setState({
		remote: {
			name: `${person.user}@${person.machine}`,
			// Without what proves the login, which ends up in the scrollback of the terminal.
			at: at && placeName(at),
			state: 'connected',
			lagMs: undefined,
			seat: observes ? 'watching' : '',
		},
	});
	const toast = (text: string) => store.getState().setToast(text);
	client.onState((state, why) => {
		// A session that this terminal closes continues.
		if (state !== 'closed' || why) {
			patch({state});
		}

		if (why) {
			toast(`The transcript stays. ${errorLine(why)}`);
		}
	});
	const measure = async () => {
		const lagMs = await client.measure(answerMs);
		if (lagMs !== undefined) {
			patch({lagMs});
		}
	};
	void measure();
	const timer = setInterval(() => void measure(), pingMs);
	timer.unref();
	const desk = createQuestionDesk(toast);
	const remote = createRemoteSession({
		client,
		store,
		role: observes ? 'observer' : 'driver',
		onQuestion: desk.put,
		onTold: toast,
		onEnded(why) {
			patch({state: 'closed'});
			toast(`The session ended: ${why}`);
		},
	});
	return {
		...surroundings,
		async compose(options) {
			// Nothing of a folder on this machine belongs to the session: an empty one has no instructions to ask about.
			const folder = openHome(env).host;
			makePrivateFolder(folder, {hint: 'Replace it with a folder of your own.'});
			const local = await compose({...options, connect: false, folder});
			const program = attachedProgram(local, remote, desk, options.folder ?? process.cwd());
			return {
				...program,
				async close() {
					clearInterval(timer);
					await program.close();
				},
			};
		},
	};
}
