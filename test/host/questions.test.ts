import {expect, test} from 'vitest';
import {createQuestions, type PendingQuestion, shownMs} from '../../src/host/questions.ts';

/** Questions of a session, with a clock that the test sets, as terminals get them. */
function openQuestions() {
	const clock = {now: 0};
	const asked: PendingQuestion[] = [];
	const closed: string[] = [];
	const questions = createQuestions({
		now: () => clock.now,
		onAsked: question => asked.push(question),
		onClosed: ({id}) => closed.push(id),
	});
	const controller = new AbortController();
	const ask = (kind: PendingQuestion['kind'], target?: string) => {
		const answer = questions.ask({kind, question: {title: 'Run it?'}, target}, controller.signal);
		answer.catch(() => undefined);
		return {answer, id: asked.at(-1)?.id ?? ''};
	};
	return {clock, closed, questions, ask, abort: () => controller.abort(new Error('interrupted'))};
}

test('[33] an approval counts only from a terminal that painted it long enough before, and once', async () => {
	const {clock, closed, questions, ask} = openQuestions();
	const {answer, id} = ask('approval');
	expect(() => questions.answer('one', id, true)).toThrow('waits no more');
	// What a terminal was not sent, it can't have painted.
	questions.painted('one', id);
	questions.sent('one', id);
	questions.sent('two', id);
	clock.now = 10 * shownMs;
	expect(() => questions.answer('one', id, true)).toThrow('before the question could be read');
	questions.painted('one', id);
	clock.now += shownMs - 1;
	questions.painted('two', id);
	expect(() => questions.answer('one', id, true)).toThrow('before the question could be read');
	expect(questions.waiting()).toHaveLength(1);
	// Painted again, it was on the screen before.
	questions.painted('one', id);
	clock.now += 1;
	expect(() => questions.answer('two', id, true)).toThrow('before the question could be read');
	questions.answer('one', id, {kind: 'once'});
	expect(await answer).toEqual({kind: 'once'});
	clock.now = 100 * shownMs;
	expect(() => questions.answer('two', id, true)).toThrow('waits no more');
	expect(closed).toEqual([id]);
});

test('[33] a refusal counts at once', async () => {
	const {questions, ask} = openQuestions();
	const {answer, id} = ask('approval');
	questions.sent('one', id);
	questions.answer('one', id, undefined);
	expect(await answer).toBeUndefined();
});

test('[33] a client of others answers the question that it was sent whenever it wants', async () => {
	const {questions, ask} = openQuestions();
	const {answer, id} = ask('approval');
	expect(() => questions.answer('one', id, 'yes', true)).toThrow('waits no more');
	questions.sent('one', id);
	questions.answer('one', id, 'yes', true);
	expect(await answer).toBe('yes');
});

test('a question that was asked while nobody was attached is answered an hour later', async () => {
	const {clock, questions, ask} = openQuestions();
	const {answer, id} = ask('approval');
	clock.now = 3_600_000;
	expect(questions.waiting().map(question => question.id)).toEqual([id]);
	questions.sent('one', id);
	questions.painted('one', id);
	clock.now += shownMs;
	questions.answer('one', id, 'yes');
	expect(await answer).toBe('yes');
	expect(questions.waiting()).toEqual([]);
});

test('a question of a command is for its terminal alone, and answered with no once that leaves', async () => {
	const {clock, questions, ask} = openQuestions();
	const {answer, id} = ask('confirm', 'one');
	questions.sent('two', id);
	clock.now = shownMs;
	expect(() => questions.answer('two', id, true)).toThrow('waits no more');
	questions.drop('two');
	expect(questions.waiting()).toHaveLength(1);
	questions.drop('one');
	expect(await answer).toBeUndefined();
});

test('an interruption ends all questions, and a late answer is told so', async () => {
	const {clock, closed, questions, ask, abort} = openQuestions();
	const all = [ask('approval'), ask('user'), ask('field', 'one')];
	abort();
	for (const {answer, id} of all) {
		await expect(answer).rejects.toThrow('interrupted');
		questions.sent('one', id);
		clock.now += shownMs;
		expect(() => questions.answer('one', id, true)).toThrow('waits no more');
	}

	expect(closed).toHaveLength(3);
});
