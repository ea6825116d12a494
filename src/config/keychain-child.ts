import process from 'node:process';
import {text} from 'node:stream/consumers';
import type {KeychainAnswer, KeychainRequest} from './keychain.ts';

/** The name of our entries in the keychain, as its user sees it. */
const service = 'service';

/**
 * On Linux only a desktop's Secret Service will do: the library would fall back to the kernel's keyring, which loses
 * everything when the machine restarts.
 */
const options = {linux: {store: 'secret-service' as const}};

async function answer(request: KeychainRequest): Promise<KeychainAnswer> {
	const keyring = await import('@napi-rs/keyring').catch(() => undefined);
	if (!keyring) {
		return {kind: 'missing'};
	}

	const open = () => {
		try {
			return new keyring.AsyncEntry(service, request.entry, options);
		} catch {
			return undefined;
		}
	};
	const entry = open();
	if (!entry) {
		return {kind: 'none'};
	}

	try {
		switch (request.action) {
			case 'get': {
				const found = await entry.getPassword();
				return {kind: 'done', ...(found !== null && {text: found})};
			}
			case 'set':
				await entry.setPassword(request.text);
				return {kind: 'done'};
			default:
				await entry.deletePassword();
				return {kind: 'done'};
		}
	} catch (error) {
		return {kind: 'refused', why: error instanceof Error ? error.message.slice(0, 200) : 'unknown reason'};
	}
}

// Both ends of this pipe are ours and of the same build, so no validation is needed.
const request: KeychainRequest = JSON.parse(await text(process.stdin));
process.stdout.write(`${JSON.stringify(await answer(request))}\n`);
