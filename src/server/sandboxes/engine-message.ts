import {messageOf} from '../../core/error.ts';
import {redact} from '../../core/secrets/redact.ts';

/** The most characters of what an engine says that a sentence repeats. */
export const maxMessageLength = 300;

/** Returns what an engine says, in a line without credentials and without a stop at its end. */
export function lineOf(text: string): string {
	const line = redact(text).replace(/\s+/g, ' ').trim();
	return line.slice(0, maxMessageLength).replace(/[.:]+$/, '');
}

/** Returns the code of an error of Node or undici; '' if it has none. */
export const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

const whyByCode: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'nothing listens there',
	ECONNRESET: 'the connection broke',
	EPIPE: 'the connection broke',
	ENOTFOUND: 'the host is unknown',
	UND_ERR_SOCKET: 'the connection broke',
	UND_ERR_CONNECT_TIMEOUT: 'timed out',
	UND_ERR_HEADERS_TIMEOUT: 'timed out',
	UND_ERR_BODY_TIMEOUT: 'timed out',
};

/** Returns why an engine isn't reached, as a clause: by the code of the error, of which an engine may explain more. */
export function whyUnreached(error: unknown, ownByCode: Readonly<Record<string, string>>): string {
	const code = codeOf(error);
	return ownByCode[code] ?? whyByCode[code] ?? lineOf(messageOf(error).split('\n')[0] ?? '');
}
