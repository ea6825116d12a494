import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {findMentions, mentionAt, mentionOf} from '../../src/core/mention.ts';
import {anyText} from '../any-text.ts';

const namesIn = (text: string) =>
	findMentions(text).map(({name, lines}) => (lines ? `${name} ${lines.first}-${lines.last}` : name));

test.each([
	['@a.ts', ['a.ts']],
	['look at @src/a.ts, then (@b.ts).', ['src/a.ts', 'b.ts']],
	['@src/a.ts:10-40 and @src/a.ts:7.', ['src/a.ts 10-40', 'src/a.ts 7-7']],
	['@src/ @src/ @src', ['src/', 'src']],
	['@"a b.ts":3 and @a\\ b.ts', ['a b.ts 3-3', 'a b.ts']],
	['@"two\\nlines"', ['two\nlines']],
	['mail a@b.c, foo@bar', []],
	['@log:web-shop @log:33f3', ['log:web-shop', 'log:33f3']],
	['@ nothing, @, @""', []],
	['@a:0-3 @a:9-2 @a:99999999', ['a 0-3', 'a 9-2', 'a:99999999']],
	['before @a\n```ts\n@Injectable() @b\n```\nafter @c', ['a', 'c']],
	['~~~\n@a\n```\n@b', []],
	['看一下@文档.md。', ['文档.md']],
	['（@a.ts）、 「@b.ts」； @c.ts！', ['a.ts', 'b.ts', 'c.ts']],
	['詳細は@報告（最終）.md、 サーバー@b.ts:3。', ['報告（最終）.md', 'b.ts 3-3']],
	['“@a.ts” «@b.ts» …@c.ts…', ['a.ts', 'b.ts', 'c.ts']],
	['é@b.c ü.ö@b.c', []],
])('%j mentions %j', (text, names) => {
	expect(namesIn(text)).toEqual(names);
});

test('a name that is offered for completion is read back exactly, whatever it contains', () => {
	fc.assert(
		fc.property(anyText({minLength: 1}), text => {
			expect(findMentions(`see ${mentionOf(text)} there`)).toMatchObject([{name: text}]);
			expect(mentionOf(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
		}),
	);
});

test.each([
	['see @src/a', 10, 'src/a'],
	['see @', 5, ''],
	['@"a b', 5, 'a b'],
	['a@b', 3, undefined],
	['看一下@b', 5, 'b'],
	['（@b', 3, 'b'],
	['é@b', 3, undefined],
	['@a b', 4, undefined],
	['@abc', 2, undefined],
	['@a.ts)', 5, 'a.ts'],
])('%j with the caret at %i types %j', (text, caret, query) => {
	expect(mentionAt(text, caret)?.query).toBe(query);
});

test('a text of a megabyte of signs costs one pass', () => {
	expect(findMentions('@'.repeat(500_000) + '"'.repeat(500_000))).toBeDefined();
	expect(findMentions(`@${'a.'.repeat(300_000)}`)).toHaveLength(1);
});
