import {randomUUID} from 'node:crypto';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {expect, onTestFinished, test} from 'vitest';
import {shownMs} from '../../src/host/questions.ts';
import {createRemoteSession, type RemoteQuestion} from '../../src/host/remote-session.ts';
import {createAppStore} from '../../src/store/store.ts';
import {openHost} from './open-host.ts';

const yes = ({question}: RemoteQuestion) => ({allowed: true, hash: (question as {hash: string}).hash});

/** A host with a session whose model wants to write a file, and a terminal on a link that can hold back what it sends. */
async function askedOverLink(now?: () => number) {
	const {host, model, connect, folder} = await openHost(now && {now});
	const link = new PassThrough();
	const client = await connect({
		through(pipes) {
			link.pipe(pipes.output);
			return {...pipes, output: link};
		},
	});
	const questions: RemoteQuestion[] = [];
	const remote = createRemoteSession({
		client,
		store: createAppStore(),
		role: 'driver',
		onQuestion: question => questions.push(question),
		onTold: () => undefined,
		onEnded: () => undefined,
	});
	onTestFinished(() => remote.close());
	model.answerWith(
		({call, finish}) => {
			call('write_file', {path: 'new.txt', content: 'new\n'});
			finish();
		},
		({say, finish}) => {
			say('Written.');
			finish();
		},
	);
	const {session} = await client.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'});
	await remote.open(session);
	const run = remote.conversation.send('Write it');
	await expect.poll(() => questions.length).toBe(1);
	const [question] = questions;
	if (!question) {
		throw new Error('There is no question.');
	}

	return {host, link, question, run, isWritten: () => existsSync(join(folder, 'new.txt'))};
}

test('[33] on a slow link, an approval counts from when the host hears that the question was painted', async () => {
	const clock = {now: 0};
	const {host, link, question, run, isWritten} = await askedOverLink(() => clock.now);
	// However long ago it was sent: without a word about painting, no yes counts.
	clock.now += 100 * shownMs;
	await expect(question.answer(yes(question))).rejects.toThrow('before the question could be read');
	expect(host.list()).toMatchObject([{questions: 1}]);

	// What the link holds back arrives together.
	link.cork();
	question.painted();
	clock.now += 100 * shownMs;
	const hasty = question.answer(yes(question));
	link.uncork();
	await expect(hasty).rejects.toThrow('before the question could be read');
	expect(host.list()).toMatchObject([{questions: 1}]);
	expect(question.signal.aborted).toBe(false);

	clock.now += shownMs;
	await question.answer(yes(question));
	await run;
	expect(isWritten()).toBe(true);
});

test('[33] an approval that the link brings together with the word that it was painted waits until it counts', async () => {
	const {link, question, run, isWritten} = await askedOverLink();
	link.cork();
	question.painted();
	const answered = question.answer(yes(question));
	link.uncork();
	await answered;
	await run;
	expect(isWritten()).toBe(true);
});
