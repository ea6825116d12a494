import {Resolver} from 'node:dns/promises';
import {isIP} from 'node:net';

const timeoutMs = 3000;
const tries = 2;

/**
 * Returns the addresses of a name, those of IPv4 first; none if it has none. Asks name servers itself, because lookups of the
 * system would keep the threads busy that the whole process shares.
 */
export async function resolveName(name: string): Promise<readonly string[]> {
	if (isIP(name) !== 0) {
		return [name];
	}

	const resolver = new Resolver({timeout: timeoutMs, tries});
	const found = await Promise.all(
		[resolver.resolve4(name), resolver.resolve6(name)].map(answer => answer.catch((): string[] => [])),
	);
	return found.flat();
}
