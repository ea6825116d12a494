import {readFile} from 'node:fs/promises';
import {join} from 'node:path';

const nameShape = /^[A-Za-z_]\w{0,63}$/;
const slugShape = /^\w[\w.-]{0,199}$/;

/** Maximum bytes of a secret. */
const maxBytes = 32 * 1024;

/**
 * Reads secrets that the administrator stored in `folder`, one file each: `<organization>/<NAME>`. The name is the id
 * and the variable that contains the secret. `unknown` is the index of the first unknown id.
 */
export async function readSecrets(
	folder: string | undefined,
	organization: string,
	ids: readonly string[],
): Promise<{readonly values: Readonly<Record<string, string>>} | {readonly unknown: number}> {
	const values: Record<string, string> = {};
	for (const [index, id] of ids.entries()) {
		const isName = folder !== undefined && nameShape.test(id) && slugShape.test(organization);
		const value = isName ? await readFile(join(folder, organization, id), 'utf8').catch(() => undefined) : undefined;
		if (value === undefined || value.includes('\0') || Buffer.byteLength(value) > maxBytes) {
			return {unknown: index};
		}

		values[id] = value.replace(/\r?\n$/, '');
	}

	return {values};
}
