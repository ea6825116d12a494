import {open, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {mask} from '../../../core/secrets/secret.ts';
import {isSecretFile} from '../../policy/secret-files.ts';

const maxFiles = 20;
const maxBytes = 64 * 1024;
/** A shorter value may be any word of an output. */
const minLength = 8;

const assignment = /^\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*(.*?)\s*$/gm;
const secretName = /pass|pwd|secret|token|key|credential|auth|dsn|private|salt|signing/i;
/** The password of a URL, such as that of a database. */
const urlPassword = /:\/\/[^\s/:@]*:([^\s/@]+)@/;

/**
 * Returns the secret values in the secret files at the top of a working folder, such as `.env`: programs may read them, but
 * their output goes to a model. Longest first.
 */
export async function fileSecrets(workspace: string): Promise<readonly string[]> {
	const entries = await readdir(workspace, {withFileTypes: true}).catch(() => []);
	const files = entries.filter(entry => entry.isFile() && isSecretFile(entry.name)).slice(0, maxFiles);
	const texts = await Promise.all(files.map(({name}) => beginning(join(workspace, name)).catch(() => '')));
	const values = texts.flatMap(text =>
		[...text.matchAll(assignment)].flatMap(([, name = '', value = '']) => secretsIn(name, value)),
	);
	return [...new Set(values)]
		.filter(value => value.length >= minLength)
		.sort((one, other) => other.length - one.length);
}

/** Replaces these values in a text. */
export function hideValues(text: string, values: readonly string[]): string {
	return values.reduce((shown, value) => shown.replaceAll(value, mask), text);
}

function secretsIn(name: string, value: string): readonly string[] {
	const plain = value.replace(/^(["'])(.*)\1.*$/, '$2');
	const [, password] = urlPassword.exec(plain) ?? [];
	return [...(secretName.test(name) ? [plain] : []), ...(password ? [password] : [])];
}

async function beginning(path: string): Promise<string> {
	const handle = await open(path, 'r');
	try {
		const {buffer, bytesRead} = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes);
		return buffer.toString('utf8', 0, bytesRead);
	} finally {
		await handle.close();
	}
}
