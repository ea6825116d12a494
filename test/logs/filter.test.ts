import {expect, test} from 'vitest';
import {createFilter} from '../../src/logs/filter.ts';
import {levelOf, levels} from '../../src/logs/levels.ts';
import {createMatcher} from '../../src/logs/matcher.ts';

const lines = ['INFO: GET /health', 'ERROR: GET /orders', 'debug it', 'WARN: Slow', '!important'].map(text => ({
	text,
	level: levelOf(text),
}));

const shown = (options: Parameters<typeof createFilter>[0]) => {
	const shows = createFilter(options).shows(lines);
	return lines.filter((_, index) => shows[index]).map(({text}) => text);
};

test.each([
	[{}, lines.map(({text}) => text)],
	[{patterns: ['GET']}, ['INFO: GET /health', 'ERROR: GET /orders']],
	[{patterns: ['GET', '!health']}, ['ERROR: GET /orders']],
	[{patterns: ['^warn|^debug']}, ['debug it', 'WARN: Slow']],
	[{patterns: ['^Warn']}, []],
	[{patterns: ['\\!imp']}, ['!important']],
	[{patterns: ['\\S/o']}, []],
	[{minLevel: 'warn'}, ['ERROR: GET /orders', 'debug it', 'WARN: Slow', '!important']],
	[{minLevel: 'error', patterns: [':']}, ['ERROR: GET /orders']],
] as const)('the filter %j shows %j', (options, expected) => {
	expect(shown(options)).toEqual(expected);
});

test.each([
	['(', 'Invalid regex “(”: unterminated group.'],
	['!a{2,1}', 'Invalid regex “a{2,1}”: numbers out of order in {} quantifier.'],
	['', 'A pattern is empty.'],
	['!', 'A pattern is empty.'],
])('the pattern %j is rejected', (pattern, message) => {
	expect(() => createFilter({patterns: [pattern]})).toThrow(expect.objectContaining({code: 'usage', message}));
});

test.each([
	['(a+)+$', `${'a'.repeat(5000)}!`],
	['(a|aa)+$', `${'a'.repeat(5000)}!`],
	['y.*.*.*.*=x', 'y'.repeat(15_000)],
	['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(10_000)],
])('%j is stopped if it takes forever, and the error names it', (pattern, line) => {
	// Unbounded, each of them would outlast the time limit of a test.
	expect(() => createMatcher(pattern).match(['short', line, 'short'])).toThrow(
		expect.objectContaining({
			code: 'usage',
			message: `The regular expression “${pattern}” takes too long on this log.`,
		}),
	);
	// What comes after it works.
	expect(createMatcher('b').match(['abc', 'x'])).toEqual([true, false]);
});

test('a line is matched without its CR, and to its end whatever its length', () => {
	expect(createMatcher('end$').match(['the end\r', 'the end'])).toEqual([true, true]);
	const long = 'x'.repeat(1_000_000);
	const lines = ['needle', `${long}needle`, long, `${long} Needle ${long}`];
	for (const source of ['needle', '.*needle', 'n(?:eedle)+.*', '!?needle$']) {
		expect(createMatcher(source).match(lines)).toEqual([true, true, false, !source.endsWith('$')]);
	}
});

test('where an expression takes too long on one long line, the error says so and how long it is', () => {
	let used = 0;
	const slow = createMatcher('(x+)+$', () => {
		used += 10_000;
		return used;
	});
	expect(() => slow.match(['x', `${'x'.repeat(1_000_000)}!`])).toThrow(
		'The regular expression “(x+)+$” takes too long on a line of 1.0 MB in this log.',
	);
});

test('a line that was redrawn is matched as it was received and in its last state', () => {
	const bar = '\rProgress 1%\rProgress 50%\rProgress 100%\rdone         ';
	expect(
		['^Progress 50', 'Progress 50%', '^done', 'done$', 'other'].map(source => createMatcher(source).match([bar])[0]),
	).toEqual([false, true, true, true, false]);
});

test('more lines than a call has room for as arguments are matched', () => {
	const many = Array.from({length: 200_000}, (_, index) => (index % 1000 === 0 ? 'needle' : 'straw'));
	expect(createMatcher('needle').match(many).filter(Boolean)).toHaveLength(200);
});

test('a pattern of grep is accepted', () => {
	expect(createMatcher('a\\-b').match(['a-b', 'ab'])).toEqual([true, false]);
});

test('a pattern names the least level as a watch and the title of a log do', () => {
	const lines = levels.map(level => ({text: `${level} happened`, level}));
	const unknown = {text: 'a line without one', level: undefined};
	for (const [index, least] of levels.entries()) {
		const {shows} = createFilter({patterns: [`level>=${least}`]});
		expect(shows([...lines, unknown])).toEqual([...levels.map((_, each) => each >= index), true]);
		const others = createFilter({patterns: [`!LEVEL>=${least}`]});
		expect(others.shows([...lines, unknown])).toEqual([...levels.map((_, each) => each < index), true]);
	}

	const both = createFilter({patterns: ['level>=warn', '!fatal']});
	expect(lines.filter((_, index) => both.shows(lines)[index]).map(({level}) => level)).toEqual(['warn', 'error']);
	expect(() => createFilter({patterns: ['level>=loud']})).toThrow('Invalid level “loud”.');
});
