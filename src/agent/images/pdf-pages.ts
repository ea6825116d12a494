import {inflateSync} from 'node:zlib';

/** Limits of what is unpacked, so that a bomb costs a moment. */
const [maxStreams, maxStreamBytes, maxTotalBytes] = [2000, 4 * 1024 * 1024, 32 * 1024 * 1024];
/** A page of a PDF whose objects can't be read, as of a scan, and the least that one takes. */
const [usualPageBytes, leastPageBytes] = [100_000, 100];

const page = /\/Type\s*\/Page(?![a-zA-Z])/g;
const pageTree = /\/Type\s*\/Pages\b/g;
/** Most page trees that are read, and the characters on each side in which such a tree has its count. */
const [maxTrees, treeReach] = [1000, 8000];

/**
 * Returns the number of pages of a PDF, also of one whose objects are compressed (ISO 32000-1, 7.5.7); an estimate by its
 * size if they can't be read, as in an encrypted one. At least 1.
 */
export function countPages(bytes: Buffer): number {
	const texts = [bytes.toString('latin1'), ...objectStreams(bytes)];
	const found = texts.reduce((sum, text) => sum + (text.match(page)?.length ?? 0), 0);
	const most = Math.max(0, ...texts.flatMap(treeCounts).filter(count => count <= bytes.length / leastPageBytes));
	if (found > 0) {
		// A file that was changed has earlier versions of its pages, too.
		return most > 0 ? Math.min(found, most) : found;
	}

	return most || Math.max(1, Math.ceil(bytes.length / usualPageBytes));
}

/** Returns how many pages the page trees of a text say that they have. */
function treeCounts(text: string): readonly number[] {
	return [...text.matchAll(pageTree)].slice(0, maxTrees).map(({index}) => {
		const before = text.slice(Math.max(0, index - treeReach), index);
		const after = text.slice(index, index + treeReach);
		const tree = before.slice(before.lastIndexOf('<<') + 1) + after.slice(0, after.indexOf('>>') + 1);
		return Number(/\/Count\s+(\d{1,7})/.exec(tree)?.[1] ?? 0);
	});
}

/** Returns the texts of the object streams. Those that can't be unpacked are left out. */
function objectStreams(bytes: Buffer): readonly string[] {
	const texts: string[] = [];
	let total = 0;
	let at = bytes.indexOf('/ObjStm');
	for (let count = 0; at !== -1 && count < maxStreams && total < maxTotalBytes; count++) {
		const keyword = bytes.indexOf('stream', at);
		const end = keyword === -1 ? -1 : bytes.indexOf('endstream', keyword + 'stream'.length);
		if (end === -1) {
			break;
		}

		const text = unpack(bytes.subarray(startOf(bytes, keyword), end));
		total += text.length;
		texts.push(text);
		at = bytes.indexOf('/ObjStm', end);
	}

	return texts;
}

/** Returns where the data of a stream begins: after the line of its keyword. */
function startOf(bytes: Buffer, keyword: number): number {
	const after = keyword + 'stream'.length;
	return bytes[after] === 0x0d ? after + 2 : after + 1;
}

function unpack(data: Buffer): string {
	try {
		return inflateSync(data, {maxOutputLength: maxStreamBytes}).toString('latin1');
	} catch {
		return '';
	}
}
