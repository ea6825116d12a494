import {expect, test} from 'vitest';
import {drawingOfCommand} from '../../../src/command/approvals/subject-drawing.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {inquireInLines} from '../../../src/ui/line/line-inquiry.ts';

const answers = [
	{key: 'y', label: 'Yes, once', value: 'yes'},
	{key: 's', label: 'Yes, and all of this session', value: 'session'},
];

async function ask(inquiry: object, ...typed: readonly string[]) {
	const said: string[] = [];
	const left = [...typed];
	let bells = 0;
	const terminal = {
		say: (text: string) => void said.push(text),
		async timedQuestion(_: string, before?: () => void) {
			before?.();
			return {line: left.shift(), askedAt: 0, typedAt: 10_000};
		},
	};
	const answer = await inquireInLines({question: 'Run it?', ...inquiry}, terminal, {
		palette: createPalette({color: false, spoken: true}),
		ring: () => (bells += 1),
	});
	return {answer, said, bells, left};
}

test.each([
	['1', 'yes'],
	['2', 'session'],
	['3', undefined],
	['s', 'session'],
	['yes', 'yes'],
	['n', undefined],
	['', undefined],
])('“%s” answers an approval', async (typed, value) => {
	expect(await ask({answers}, typed)).toMatchObject({answer: value, left: []});
});

test.each(['4', '0', '/quit', 'fix\u001b[2J it', '1e0'])(
	'“%s” is no answer: the question stays, and nothing is denied [4]',
	async typed => {
		const {answer, said, bells} = await ask({answers}, typed, '1');
		expect(answer).toBe('yes');
		const shown = typed.replace('\u001b', '␛');
		expect(said.slice(4)).toEqual([`“${shown}” isn't an answer. Type a number from 1 to 3, or a key.`]);
		expect(bells).toBe(1);
	},
);

test('[4] an answer that keeps something counts once it is typed again, and the rules are read out', async () => {
	const keeps = {rules: ['npm test *', 'git status'], life: 'this session · until you leave it'};
	const keeping = answers.map(answer => (answer.key === 's' ? {...answer, keeps} : answer));
	const again = 'Type it again to keep: npm test * · git status · this session · until you leave it.';
	const kept = await ask({answers: keeping}, 's', '2');
	expect([kept.answer, kept.said.at(-1)]).toEqual(['session', again]);
	expect((await ask({answers: keeping}, 's', '')).answer).toBeUndefined();
	expect((await ask({answers: keeping}, 's', 'what', 's', 's')).answer).toBe('session');
	expect((await ask({answers: keeping}, 's', '1')).answer).toBe('yes');
});

test('[4] a command of 3,000 lines shows its end, counts its blanks, and is allowed by a second yes', async () => {
	const lines = Array.from({length: 3000}, (_, index) => `echo ${index}`);
	const subject = drawingOfCommand([...lines, `ls${' '.repeat(2000)}; touch X`].join('\n'), false);
	const {answer, said} = await ask({answers, subject}, 'y', 'y');
	expect(answer).toBe('yes');
	expect(said).toContain('> ls⟨2,000 spaces⟩; touch X');
	expect(said).toContain('⋯ 1,001 lines ⋯');
	expect(said.at(-1)).toBe('1,001 lines not printed. Type it again to allow.');
});

test('a question with yes and no says what to type, too', async () => {
	const {answer, said} = await ask({}, 'maybe', 'y');
	expect([answer, said]).toEqual(['yes', ["“maybe” isn't an answer. Type y or n."]]);
	expect((await ask({}, 'No')).answer).toBeUndefined();
	expect((await ask({}, 'yes')).answer).toBe('yes');
});
