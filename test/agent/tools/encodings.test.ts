import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {decodeLegacy} from '../../../src/agent/tools/files/legacy-encoding.ts';
import {createSearchText} from '../../../src/agent/tools/search-text.ts';
import {openTools} from './open-tools.ts';

/** Texts as other programs encode them, in base64. */
const files: ReadonlyArray<readonly [encoding: string, text: string, bytes: string]> = [
	[
		'gbk',
		"// 测试函数：返回用户的名字\r\nconst name = '配置';\r\n// 这是一个中文注释，说明下面的代码是做什么的。\r\n",
		'Ly8gsuLK1Lqvyv2jure1u9jTw7untcTD+9fWDQpjb25zdCBuYW1lID0gJ8Xk1sMnOw0KLy8g1eLKx9K7uPbW0M7E16LKzaOsy7XD98/Cw+a1xLT6wuvKx9f2yrLDtLXEoaMNCg==',
	],
	[
		'euc-kr',
		"// 설정 파일을 읽는 함수\nconst name = '이름';\n// 이 코드는 사용자의 정보를 저장합니다.\n",
		'Ly8gvLPBpCDGxMDPwLsgwNC0wiDH1Lz2CmNvbnN0IG5hbWUgPSAnwMy4pyc7Ci8vIMDMIMTateW0wiC757/rwNrAxyDBpLq4uKYgwPrA5cfVtM+02S4K',
	],
	[
		'shift_jis',
		"// 設定ファイルを読み込む関数です\nconst name = '名前';\n// このコードは表示されます。\n",
		'Ly8gkN2S6IN0g0CDQ4OLgvCTx4LdjZ6C3orWkJSCxYK3CmNvbnN0IG5hbWUgPSAnlryRTyc7Ci8vIIKxgsyDUoFbg2iCzZVcjqaCs4LqgtyCt4FCCg==',
	],
	[
		'euc-jp',
		"// 設定ファイルを読み込む関数です\nconst name = '名前';\n// このコードは表示されます。\n",
		'Ly8gwN/E6qXVpaGlpKXrpPLGyaTfuf6k4LTYv/Skx6S5CmNvbnN0IG5hbWUgPSAnzL7BsCc7Ci8vIKSzpM6ls6G8pcmkz8m9vKiktaTspN6kuaGjCg==',
	],
	[
		'big5',
		"// 這是一個中文註釋，說明下面的程式是做什麼的\nconst name = '設定';\n",
		'Ly8gs2+sT6RArdOkpKTltfnEwKFBu6Gp+qRVrbGqurV7pqGsT7C1pLC78qq6CmNvbnN0IG5hbWUgPSAns12pdyc7Cg==',
	],
	[
		'windows-1252',
		'# Café “Zürich” – prix: 5 €\nnom = \'Élève à Nîmes\'\nß = "größer"\n',
		'IyBDYWbpIJNa/HJpY2iUIJYgcHJpeDogNSCACm5vbSA9ICfJbOh2ZSDgIE7ubWVzJwrfID0gImdy9t9lciIK',
	],
	['gbk', 'a // 测试\nb\n', 'YSAvLyCy4srUCmIK'],
	['windows-1252', 'café\n', 'Y2Fm6Qo='],
];

const decoded = (bytes: Buffer) => {
	const found = decodeLegacy(bytes);
	return 'text' in found ? found : undefined;
};

describe('a file in an encoding that is certain', () => {
	test.each(files)('is read, searched and edited in it: %s, %j', async (encoding, text, base64) => {
		const before = Buffer.from(base64, 'base64');
		const {read, edit, bytes, asked, places, context} = await openTools({'a.txt': before});
		const shown = await read('a.txt');
		const lines = text.split(/\r?\n/).slice(0, -1);
		expect(shown).toBe(
			[...lines.map((line, index) => `${index + 1}\t${line}`), `[encoded in ${encoding}; a change keeps that]`].join(
				'\n',
			),
		);
		const [first = ''] = lines;
		const word = first.match(/\p{L}+$/u)?.[0] ?? first;
		const found = await createSearchText(places).run({pattern: word, literal: true}, context);
		expect(found).toContain(`a.txt:1:${first}`);
		// Every byte but those of the edit stays.
		await edit('a.txt', first, `x ${first}`);
		expect(await bytes('a.txt')).toEqual(Buffer.concat([Buffer.from('x '), before]));
		expect(asked.at(-1)?.exactChange?.diff).toContain(`+x ${first}`);
		await edit('a.txt', `x ${first}`, first);
		expect(await bytes('a.txt')).toEqual(before);
	});

	test('takes new characters that it has, and refuses others with a way out', async () => {
		const {read, edit, write, bytes} = await openTools({'a.txt': Buffer.from(files[0]?.[2] ?? '', 'base64')});
		await read('a.txt');
		await edit('a.txt', '测试', '检查');
		expect((await bytes('a.txt')).includes(Buffer.from([0xbc, 0xec, 0xb2, 0xe9]))).toBe(true);
		const before = await bytes('a.txt');
		const refusal = {
			code: 'usage',
			message: expect.stringContaining('encoded in gbk, which has no “😀” (U+1F600)'),
			hint: expect.stringContaining('iconv -f gbk -t utf-8'),
		};
		await expect(edit('a.txt', '检查', '😀')).rejects.toMatchObject(refusal);
		await expect(write('a.txt', '😀')).rejects.toMatchObject(refusal);
		expect(await bytes('a.txt')).toEqual(before);
	});

	test.each([
		['utf-16le', (given: string) => Buffer.from(given, 'utf16le')],
		['utf-16be', (given: string) => Buffer.from(given, 'utf16le').swap16()],
	] as const)('%s without a byte order mark', async (encoding, encode) => {
		const {read, edit, bytes} = await openTools({'a.txt': encode('one\r\nü €\r\n')});
		expect(await read('a.txt')).toBe(`1\tone\n2\tü €\n[encoded in ${encoding}; a change keeps that]`);
		await edit('a.txt', 'one', 'two\nthree');
		expect(await bytes('a.txt')).toEqual(encode('two\r\nthree\r\nü €\r\n'));
	});
});

test.each(['text\0more\n', 'key\0', 'PATH=/bin\0HOME=/x\0', 'src/a.ts\0'.repeat(9)])(
	'UTF-8 with some NUL characters is binary, not UTF-16: %j',
	async text => {
		const {read} = await openTools({'a.txt': Buffer.from(text)});
		await expect(read('a.txt')).rejects.toThrow('is a binary file');
	},
);

describe('a file whose encoding is not certain', () => {
	const gbk = Buffer.from(files[0]?.[2] ?? '', 'base64');
	const korean = Buffer.from(files[1]?.[2] ?? '', 'base64');
	const western = Buffer.from('caf\xe9 cr\xe8me\n', 'latin1');
	test.each([
		['UTF-8 and GBK', Buffer.concat([Buffer.from('// 测试 UTF-8\n'), gbk])],
		['GBK and EUC-KR', Buffer.concat([gbk, korean])],
		['UTF-8 and Latin-1', Buffer.concat([Buffer.from('déjà\n'), western])],
		['Latin-1 and GBK', Buffer.concat([western, gbk])],
		['Cyrillic', Buffer.from('Ly8gz/Do4uXyLCDs6PAhIN3y7iDy5fHyIOru5Ojw7uLq6C4K', 'base64')],
		['two bytes of GBK', Buffer.from([0x61, 0xc4, 0xe3, 0x0a])],
		['broken UTF-8', Buffer.from([0x61, 0xe2, 0x82, 0x0a, 0xff, 0xfe, 0x0a])],
	])('is read with a note, and not changed: %s', async (_, before) => {
		const {read, edit, bytes} = await openTools({'a.txt': Buffer.concat([Buffer.from('first\n'), before])});
		expect(await read('a.txt')).toMatch(/\n\[it is not UTF-8, and its encoding is not certain/);
		await expect(edit('a.txt', 'first', 'second')).rejects.toMatchObject({
			message: expect.stringContaining("its encoding is not certain, so it can't be changed without damage."),
			hint: expect.stringMatching(/Ask the user which it is\. Then convert it.*iconv -f \S+ -t utf-8/),
		});
		expect(await bytes('a.txt')).toEqual(Buffer.concat([Buffer.from('first\n'), before]));
	});

	test('stays binary with NUL bytes that no text has', async () => {
		const samples = Buffer.alloc(4000);
		for (let at = 0; at < samples.length; at += 2) {
			samples.writeInt16LE((at * 7) % 120, at);
		}

		await expect((await openTools({'a.bin': samples})).read('a.bin')).rejects.toThrow('binary file');
	});
});

test('whatever bytes a file has, what is certain makes up the same bytes again', () => {
	const pieces = fc.constantFrom(
		...files.map(([, , base64]) => Buffer.from(base64, 'base64')),
		Buffer.from('plain\n'),
		Buffer.from('é한\n'),
	);
	fc.assert(
		fc.property(
			fc.oneof(
				fc.uint8Array({maxLength: 60}).map(Buffer.from),
				fc
					.array(fc.oneof(pieces, fc.uint8Array({maxLength: 4}).map(Buffer.from)), {maxLength: 4})
					.map(parts => Buffer.concat(parts)),
			),
			bytes => {
				const found = decoded(bytes);
				expect(found === undefined || found.encode(found.text).equals(bytes)).toBe(true);
			},
		),
		{numRuns: 300},
	);
});
