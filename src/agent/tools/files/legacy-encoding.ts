import {isUtf8} from 'node:buffer';
import {AppError} from '../../../core/error.ts';

/** The text of a file, and how it is written back. */
export type Decoded = {
	readonly text: string;
	/** The name of its encoding, as the WHATWG Encoding Standard has it. */
	readonly encoding: string;
	/** Returns the text of a part that begins and ends with whole characters. */
	readonly decode: (part: Buffer) => string;
	/** Returns the bytes of another text. Throws `AppError("usage")` for a character that the encoding has not. */
	readonly encode: (text: string) => Buffer;
};

/** Characters of the first megabyte decide. */
const maxSample = 1024 * 1024;
/** The share of characters that must be usual ones, and of those, frequent ones. */
const leastUsual = 0.95;
const leastFrequent = 0.35;

/** An encoding with two bytes for most characters; `isUsual` says which of those texts mostly consist of. */
type DoubleByte = {
	readonly name: string;
	readonly isLead: (byte: number) => boolean;
	readonly isTrail: (byte: number) => boolean;
	readonly isUsual: (lead: number, trail: number) => boolean;
	/** Characters that make up much of any text in the language. */
	readonly frequent: RegExp;
};

const between = (from: number, to: number) => (byte: number) => byte >= from && byte <= to;
const high = between(0x81, 0xfe);
const kana = /[\u3041-\u30FE]/g;

const doubleBytes: readonly DoubleByte[] = [
	{
		name: 'gbk',
		isLead: high,
		isTrail: byte => between(0x40, 0xfe)(byte) && byte !== 0x7f,
		isUsual: (lead, trail) => trail >= 0xa1 && (lead === 0xa1 || lead === 0xa3 || between(0xb0, 0xd7)(lead)),
		frequent:
			/[的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手用主行方又如前所本见经头面公同三已老从动两长知样现分将外但些与高意进把法此实回二理点月明其种声全工己话者向情部正名定问力机给等几很业最间新什打便位因重被走电第门相次海口使教再平真听世气信少关并内加化由却代产入先体别处总才场比住员性通目报立命数件安表原应路期常提感更反合放做系计或司利受果界及今务制解各任至清物台象记边共接它许特直服题建度统色字请交让认算论义元社术结功指非流每管连远资带条变联言权展该领传近治决保达办运半必步完区即求品转量空技程告语基式息写识极令收未持取设始版双历史片容像找改议形音际则首单据导影失网似若读究包组造视简测试函错误配置参返值类型属默码户输串循环注释打印列键索引线程缓存库项增删查验证登录密访权限消查询创建执行调启停载选择示例段节]/g,
	},
	{
		name: 'euc-kr',
		isLead: high,
		isTrail: byte => between(0x41, 0x5a)(byte) || between(0x61, 0x7a)(byte) || high(byte),
		isUsual: (lead, trail) => trail >= 0xa1 && (lead === 0xa1 || lead === 0xa3 || between(0xb0, 0xc8)(lead)),
		frequent:
			/[이다는을의에가고하지로도한은를기사서리시어라자인아그나대부일정들해전상수제과면만보장있주니스게소용여것없동구관중국생세비성마위경신우적무문개방원조각공등분말안오연유월년당화실물내통모할습합입된될력출값호파름열행변설치테트요와까거려러않던때더모두함후간선건복저록추되돼양식료타]/g,
	},
	{
		name: 'big5',
		isLead: high,
		isTrail: byte => between(0x40, 0x7e)(byte) || between(0xa1, 0xfe)(byte),
		isUsual: lead => between(0xa1, 0xc6)(lead),
		frequent:
			/[的一是不了在人有我他這中大來上個國到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手用主行方又如前所本見經頭面公同三已老從動兩長知樣現分將外但些與高意進把法此實回二理點月明其種全工己話者向情部正名定問力機給等幾很業最間新什打便位因重被電第門相次使教再平真信少關並內加化由代產入先體別處總場比員性通目報立命數件安表原應路期常提感更合放做系計或受果界及務制解各任物記接它許特服題建度統字請交讓認算論元結功指流每管連資條變聯言權該傳近決保運必步完區即求品轉量空技程式息寫識令收未取設始版歷史容找改形音則首單據導失網讀包組測試函錯誤配置參返值類型屬預碼戶輸字串註釋]/g,
	},
	{
		name: 'shift_jis',
		isLead: byte => between(0x81, 0x9f)(byte) || between(0xe0, 0xfc)(byte),
		isTrail: byte => between(0x40, 0xfc)(byte) && byte !== 0x7f,
		isUsual: lead => between(0x81, 0x83)(lead) || between(0x88, 0x97)(lead),
		frequent: kana,
	},
	{
		name: 'euc-jp',
		isLead: byte => byte === 0x8e || between(0xa1, 0xfe)(byte),
		isTrail: between(0xa1, 0xfe),
		isUsual: lead => lead === 0xa1 || between(0xa3, 0xa5)(lead) || between(0xb0, 0xcf)(lead),
		frequent: kana,
	},
];

/** The characters of 0x80 to 0x9F in windows-1252; those of 0xA0 to 0xFF are the same in Unicode. */
const windows1252 =
	'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ' +
	Array.from({length: 96}, (_, index) => String.fromCharCode(0xa0 + index)).join('');
const letters = 'À-ÖØ-öø-ÿŒœŠšŽžŸ';
/** What Western European texts never have: other characters, four accented letters in a row, some beside no plain letter. */
const unlikely = new RegExp(
	`[^\\0-\\x7F${letters}€‚„…‘’“”–—•™\\u00A0¡£§©«®°±²³´µ·»¼½¾¿ªº×÷]|[${letters}]{4}|(?<![A-Za-z${letters}])[${letters}]{2,}(?![A-Za-z${letters}])`,
);

/**
 * Decodes a file that isn't UTF-8 where its encoding is certain: only one is likely, and its text makes up the same bytes again.
 * Else returns the names of those that it may be in.
 */
export function decodeLegacy(bytes: Buffer): Decoded | readonly string[] {
	const utf16 = decodeUtf16(bytes);
	if (utf16 || bytes.includes(0)) {
		return utf16 ?? [];
	}

	const sample = bytes.subarray(0, maxSample);
	const possible = doubleBytes.filter(encoding => readPairs(sample, encoding) !== undefined);
	const likely = possible.filter(encoding => isLikely(sample, encoding));
	const western = isWestern(sample) && !possible.some(encoding => isAllPairs(sample, encoding)) ? ['windows-1252'] : [];
	const [name = '', ...others] = [...likely.map(each => each.name), ...western];
	if (name === '' || others.length > 0 || hasUtf8Lines(bytes) || hasOtherLines(sample, name)) {
		return [...new Set([...(others.length > 0 ? [name, ...others] : possible.map(each => each.name)), ...western])];
	}

	const table = tableOf(name);
	const decode = (part: Buffer) => (name === 'windows-1252' ? decodeSingle(part) : new TextDecoder(name).decode(part));
	const decoded = {text: decode(bytes), encoding: name, decode, encode: (next: string) => encode(next, name, table)};
	return isExact(decoded, bytes) ? decoded : [name];
}

function isExact({text, encode: toBytes}: Decoded, bytes: Buffer): boolean {
	try {
		return toBytes(text).equals(bytes);
	} catch {
		return false;
	}
}

/**
 * Decodes UTF-16 without a byte order mark: every other byte of what is ASCII is 0. What is UTF-8, too, is ASCII with some NUL
 * characters, unless there are about as many as others.
 */
function decodeUtf16(bytes: Buffer): Decoded | undefined {
	const zeros = [0, 0];
	for (let at = 0; at < Math.min(bytes.length, maxSample); at++) {
		zeros[at % 2] = (zeros[at % 2] ?? 0) + (bytes[at] === 0 ? 1 : 0);
	}

	const [even = 0, odd = 0] = zeros;
	if (bytes.length % 2 !== 0 || even + odd < bytes.length / (isUtf8(bytes) ? 3 : 10) || (even > 0 && odd > 0)) {
		return undefined;
	}

	const isBig = even > 0;
	const swapped = (given: Buffer) => (isBig ? Buffer.from(given).swap16() : given);
	const decode = (part: Buffer) => swapped(part).toString('utf16le');
	const text = decode(bytes);
	// Numbers of 16 bits have characters that no text has.
	return /[^\P{C}\t\n\f\r\p{Cf}]/u.test(text)
		? undefined
		: {text, encoding: isBig ? 'utf-16be' : 'utf-16le', decode, encode: next => swapped(Buffer.from(next, 'utf16le'))};
}

/** Returns the pairs of bytes of a text, and the number of other characters beyond ASCII; undefined if it can't be decoded. */
function readPairs(bytes: Buffer, {name, isLead, isTrail}: DoubleByte) {
	const pairs: (readonly [lead: number, trail: number])[] = [];
	let singles = 0;
	for (let at = 0; at < bytes.length; at++) {
		const lead = bytes[at] ?? 0;
		if (lead < 0x80) {
			continue;
		}

		const trail = bytes[at + 1];
		if (name === 'shift_jis' && between(0xa1, 0xdf)(lead)) {
			singles++;
		} else if (isLead(lead) && trail !== undefined && isTrail(trail)) {
			pairs.push([lead, trail]);
			at++;
		} else if (at < maxSample - 1) {
			return undefined;
		}
	}

	return {pairs, singles};
}

function isLikely(bytes: Buffer, encoding: DoubleByte): boolean {
	const {pairs, singles} = readPairs(bytes, encoding) ?? {pairs: [], singles: 0};
	const usual = pairs.filter(([lead, trail]) => encoding.isUsual(lead, trail)).length;
	if (usual < 2 || usual < leastUsual * (pairs.length + singles)) {
		return false;
	}

	const text = new TextDecoder(encoding.name).decode(bytes);
	const words = text.match(/[\p{L}\p{N}]/gu)?.filter(character => character > '\u2FFF').length ?? 0;
	const frequent = text.match(encoding.frequent)?.length ?? 0;
	return frequent >= 2 && frequent >= leastFrequent * words;
}

/** True for a text whose characters beyond ASCII are all pairs of such bytes, as Chinese or Korean has them. */
function isAllPairs(bytes: Buffer, encoding: DoubleByte): boolean {
	const {pairs, singles} = readPairs(bytes, encoding) ?? {pairs: [], singles: 0};
	return pairs.length > 0 && singles === 0 && pairs.every(pair => pair[1] >= 0xa1 && encoding.isUsual(...pair));
}

/** True if a line with several characters is rather in another encoding with two bytes for a character. */
function hasOtherLines(sample: Buffer, name: string): boolean {
	return linesBeyondAscii(sample).some(line => {
		const likely = doubleBytes.filter(encoding => isLikely(line, encoding)).map(each => each.name);
		return likely.length > 0 && !likely.includes(name);
	});
}

/** Returns the lines with three bytes beyond ASCII or more. */
function linesBeyondAscii(bytes: Buffer): readonly Buffer[] {
	const lines: Buffer[] = [];
	for (let start = 0; start < bytes.length; ) {
		const newline = bytes.indexOf(10, start);
		const line = bytes.subarray(start, newline < 0 ? bytes.length : newline);
		if (line.filter(byte => byte >= 0x80).length >= 3) {
			lines.push(line);
		}

		start += line.length + 1;
	}

	return lines;
}

function isWestern(bytes: Buffer): boolean {
	return !/[\xC2-\xDF][\x80-\xBF]/.test(bytes.toString('latin1')) && !unlikely.test(decodeSingle(bytes));
}

/** True if a line beyond ASCII is UTF-8 as it stands, which no usual text of another encoding is: then the file has two. */
function hasUtf8Lines(bytes: Buffer): boolean {
	return linesBeyondAscii(bytes).some(line => {
		const beyond = line.filter(byte => byte >= 0x80);
		return isUtf8(line) && ((beyond[0] ?? 0) >= 0xe1 || beyond.length >= 12);
	});
}

function decodeSingle(bytes: Buffer): string {
	return bytes.toString('latin1').replace(/[\x80-\x9F]/g, each => windows1252[each.charCodeAt(0) - 0x80] ?? each);
}

/** Returns the bytes of each character of an encoding beyond ASCII. Made once, from what decodes them. */
function tableOf(name: string): ReadonlyMap<string, Buffer> {
	const known = tables.get(name);
	if (known) {
		return known;
	}

	const table = new Map<string, Buffer>();
	const decoder = new TextDecoder(name);
	const add = (...given: readonly number[]) => {
		const bytes = Buffer.from(given);
		const character = decoder.decode(bytes);
		if (character.length === 1 && character !== '\uFFFD' && !table.has(character)) {
			table.set(character, bytes);
		}
	};
	if (name === 'windows-1252') {
		for (const [index, character] of [...windows1252].entries()) {
			table.set(character, Buffer.from([0x80 + index]));
		}
	} else {
		for (let lead = 0x80; lead <= 0xff; lead++) {
			add(lead);
			for (let trail = 0x40; trail <= 0xfe; trail++) {
				add(lead, trail);
			}
		}
	}

	tables.set(name, table);
	return table;
}

const tables = new Map<string, ReadonlyMap<string, Buffer>>();

function encode(text: string, name: string, table: ReadonlyMap<string, Buffer>): Buffer {
	const parts: Buffer[] = [];
	for (const [part] of text.matchAll(/[\0-\x7F]+|[^\0-\x7F]/gu)) {
		const bytes = part.charCodeAt(0) < 0x80 ? Buffer.from(part, 'latin1') : table.get(part);
		if (!bytes) {
			const code = (part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
			throw new AppError(
				'usage',
				`The file is encoded in ${name}, which has no “${part}” (U+${code}). Nothing was written.`,
				{
					hint: `Write it with other characters, or ask the user to convert the file: iconv -f ${name} -t utf-8.`,
				},
			);
		}

		parts.push(bytes);
	}

	return Buffer.concat(parts);
}
