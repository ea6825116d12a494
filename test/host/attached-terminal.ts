import {readFileSync} from 'node:fs';
import {onTestFinished} from 'vitest';
import {parseJson} from '../../src/core/json.ts';
import {parseRecorded, type Recorded} from '../../src/core/session/event.ts';
import {createRemoteSession, type RemoteQuestion} from '../../src/host/remote-session.ts';
import type {HostClient} from '../../src/link/host-client.ts';
import {openHome} from '../../src/storage/home.ts';
import {sessionFiles} from '../../src/storage/session-folder.ts';
import {createAppStore} from '../../src/store/store.ts';

/** A terminal that is attached, without a screen: its store has what a screen draws. */
export async function attachTerminal(
	client: HostClient,
	session: string,
	onQuestion: (question: RemoteQuestion) => void = () => undefined,
) {
	const store = createAppStore();
	/** The `seq` of all that was drawn, in order, since the transcript was last opened. */
	let drawn: number[] = [];
	const {applyRecords, openTranscript} = store.getState();
	store.setState({
		applyRecords(items) {
			drawn.push(...items.flatMap(item => ('seq' in item ? [item.seq] : [])));
			applyRecords(items);
		},
		openTranscript(transcript) {
			drawn = Array.from({length: transcript.seq + 1}, (_, seq) => seq);
			openTranscript(transcript);
		},
	});
	const remote = createRemoteSession({
		client,
		store,
		role: 'driver',
		onQuestion,
		onTold: () => undefined,
		onEnded: () => undefined,
	});
	onTestFinished(() => remote.close());
	await remote.open(session);
	return {remote, transcript: () => store.getState().transcript, drawn: () => drawn};
}

/** Returns what the journal of a session has. */
export async function savedRecords(
	env: Readonly<Record<string, string>>,
	session: string,
): Promise<readonly Recorded[]> {
	const file = (await sessionFiles(openHome(env))).find(({id}) => id === session);
	const lines = file ? readFileSync(file.path, 'utf8').split('\n') : [];
	return lines.flatMap(line => parseRecorded(parseJson(line)) ?? []);
}
