import {createHash, randomBytes} from 'node:crypto';
import {link, mkdir, open, readFile, rename, unlink, utimes, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {deflate, inflate} from 'node:zlib';
import {AppError} from '../../core/error.ts';
import {errnoOf} from '../../storage/file-error.ts';
import {makePrivateFolder} from '../../storage/private-folder.ts';

type ObjectType = 'blob' | 'tree' | 'commit';

/**
 * A git repository without a work tree: loose objects and refs, written here and readable with git. Contents are stored
 * byte for byte. No program runs, and nothing of a working folder is interpreted as settings.
 */
export type ObjectStore = {
	readonly path: string;
	/** Stores an object. Returns its id. With `isSynced` it survives a power cut. */
	readonly put: (type: ObjectType, content: Buffer, isSynced?: boolean) => Promise<string>;
	/** Returns the content of an object. Throws AppError("not-found") if it is missing or damaged. */
	readonly get: (type: ObjectType, id: string) => Promise<Buffer>;
	/** Returns the id that a ref points to; undefined without one. */
	readonly ref: (name: string) => Promise<string | undefined>;
	/** Lets a ref point to an object. With `isSynced` it survives a power cut. */
	readonly setRef: (name: string, id: string, isSynced?: boolean) => Promise<void>;
};

/** Objects compress well enough at a low level, and faster. */
const deflateQuickly = (data: Buffer): Promise<Buffer> =>
	new Promise((resolve, reject) => {
		deflate(data, {level: 1}, (error, deflated) => (error ? reject(error) : resolve(deflated)));
	});
const inflateWhole = (data: Buffer): Promise<Buffer> =>
	new Promise((resolve, reject) => {
		inflate(data, {maxOutputLength: maxObjectBytes}, (error, whole) => (error ? reject(error) : resolve(whole)));
	});
/** A cleanup deletes unused objects of a day: until then, one that was seen is there. */
const maxKnownMs = 12 * 60 * 60 * 1000;
/** An object is a file of at most this size, a tree, or a commit. */
const maxObjectBytes = 64 * 1024 * 1024;

/** Opens the store at `path`, and creates it if there is none. Throws AppError("failed") as `makePrivateFolder` does. */
export async function openObjectStore(path: string): Promise<ObjectStore> {
	for (const folder of [dirname(path), path, join(path, 'objects'), join(path, 'refs'), join(path, 'refs', 'heads')]) {
		makePrivateFolder(folder, {hint: 'Move it away and try again.'});
	}

	await createFile(join(path, 'HEAD'), 'ref: refs/heads/none\n');
	await createFile(join(path, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n[gc]\n\tauto = 0\n');
	/** When this process last saw an object, in milliseconds since the epoch. */
	const known = new Map<string, number>();
	const placeOf = (id: string) => join(path, 'objects', id.slice(0, 2), id.slice(2));
	const refPath = (name: string) => join(path, 'refs', 'heads', name);

	return {
		path,
		async put(type, content, isSynced = false) {
			const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
			const id = objectId(whole);
			if (Date.now() - (known.get(id) ?? 0) > maxKnownMs) {
				if (!(await touch(placeOf(id)))) {
					await writeObject(placeOf(id), await deflateQuickly(whole), isSynced);
				}

				known.set(id, Date.now());
			}

			return id;
		},
		get: (type, id) => readObject(placeOf(id), type, id),
		async ref(name) {
			const text = await readFile(refPath(name), 'utf8').catch(() => '');
			return /^[\da-f]{40}\n$/.test(text) ? text.trim() : undefined;
		},
		async setRef(name, id, isSynced = false) {
			const temporary = join(path, `ref-${randomBytes(6).toString('hex')}.tmp`);
			await writeFile(temporary, `${id}\n`, {flag: 'wx', mode: 0o600, flush: isSynced});
			await rename(temporary, refPath(name));
		},
	};
}

/** Returns the id that git gives an object. */
function objectId(whole: Buffer): string {
	return createHash('sha1').update(whole).digest('hex');
}

/** Updates the time of an object, so that no cleanup deletes it. Returns false if it doesn't exist. */
async function touch(path: string): Promise<boolean> {
	const now = new Date();
	try {
		await utimes(path, now, now);
		return true;
	} catch (error) {
		if (errnoOf(error) === 'ENOENT') {
			return false;
		}

		throw error;
	}
}

async function writeObject(path: string, data: Buffer, isSynced: boolean): Promise<void> {
	const temporary = `${dirname(path)}-${randomBytes(8).toString('hex')}.tmp`;
	const file = await open(temporary, 'wx', 0o400);
	try {
		await file.writeFile(data);
		if (isSynced) {
			await file.sync();
		}
	} finally {
		await file.close();
	}

	try {
		await rename(temporary, path).catch(async error => {
			if (errnoOf(error) !== 'ENOENT') {
				throw error;
			}

			await mkdir(dirname(path), {recursive: true, mode: 0o700});
			await rename(temporary, path);
		});
	} catch (error) {
		await unlink(temporary).catch(() => undefined);
		throw error;
	}
}

async function readObject(path: string, type: ObjectType, id: string): Promise<Buffer> {
	try {
		const whole = await inflateWhole(await readFile(path));
		const end = whole.indexOf(0);
		if (objectId(whole) === id && whole.toString('latin1', 0, end).startsWith(`${type} `)) {
			return whole.subarray(end + 1);
		}
	} catch (error) {
		throw missing(id, error);
	}

	throw missing(id);
}

function missing(id: string, cause?: unknown): AppError {
	return new AppError('not-found', `Earlier contents of a file are no longer saved (${id.slice(0, 8)}).`, {
		hint: 'They are kept for 30 days, on this machine only.',
		...(cause !== undefined && {cause}),
	});
}

/** Creates a file, unless it exists. */
async function createFile(path: string, text: string): Promise<void> {
	const temporary = `${path}-${randomBytes(6).toString('hex')}.tmp`;
	await writeFile(temporary, text, {flag: 'wx', mode: 0o600});
	await link(temporary, path).catch((error: unknown) => {
		if (errnoOf(error) !== 'EEXIST') {
			throw error;
		}
	});
	await unlink(temporary);
}
