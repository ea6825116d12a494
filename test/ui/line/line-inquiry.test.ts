import {expect, test} from 'vitest';
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

test('a question with yes and no says what to type, too', async () => {
	const {answer, said} = await ask({}, 'maybe', 'y');
	expect([answer, said]).toEqual(['yes', ["“maybe” isn't an answer. Type y or n."]]);
	expect((await ask({}, 'No')).answer).toBeUndefined();
	expect((await ask({}, 'yes')).answer).toBe('yes');
});
