import {refuse} from '../client/refusal.ts';
import {joinPath, passPath} from '../contract/hosting.ts';
import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {hostPassHere} from '../link/local-host.ts';
import {isWebPlace, placeWithPass, readWebPlace, refusedLink} from '../link/web-place.ts';
import {readText} from '../net/read-body.ts';
import type {Transport} from '../net/transport.ts';
import type {AccessContext} from './platform.ts';

/** A place that can be connected to, and what a link to it is for. */
export type ProvenPlace = {
	readonly at: string;
	/** The only session that a link opens. */
	readonly session?: string;
	readonly observes?: boolean;
};

const maxAnswerBytes = 64 * 1024;

/**
 * Proves to a host who attaches; through ssh, nothing has to be proved. Over HTTP: with the code of a link, with the token of the own host, or with the
 * stored login of a server. Throws AppError("auth") without one of them, AppError("not-found") for a server that hosts no sessions.
 */
export async function provePlace(given: string, {program, ui, flags, signal}: AccessContext): Promise<ProvenPlace> {
	if (!isWebPlace(given)) {
		return {at: given};
	}

	const {server, code, pass} = readWebPlace(given);
	const {platform} = program.servers;
	if (pass !== undefined) {
		return {at: given};
	}

	if (code !== undefined) {
		const answer = await post(await platform.anonymous(), `${server}${joinPath}`, {code}, signal);
		if (answer.status !== 200) {
			throw refusedLink(server, answer.status, answer.text);
		}

		const {pass: given, session, role} = readPass(server, answer.text);
		return {at: placeWithPass(server, given), ...(session !== undefined && {session, observes: role === 'observer'})};
	}

	const own = hostPassHere(server, program.local.env);
	if (own !== undefined) {
		return {at: placeWithPass(server, own)};
	}

	const {transport} = await platform.open({flags: {...flags, server}, ui, signal}, {server});
	const answer = await post(transport, `${server}${passPath}`, {}, signal);
	if (answer.status !== 200) {
		throw answer.status === 404 || answer.status === 405
			? refusedLink(server, answer.status, answer.text)
			: refuse({from: server, ...answer, now: Date.now()});
	}

	return {at: placeWithPass(server, readPass(server, answer.text).pass)};
}

async function post(transport: Transport, url: string, body: object, signal: AbortSignal) {
	const response = await transport({
		method: 'POST',
		url,
		headers: {accept: 'application/json', 'content-type': 'application/json'},
		body: JSON.stringify(body),
		signal,
	});
	const {status, headers} = response;
	return {status, headers, text: await readText(response, {from: url, maxBytes: maxAnswerBytes})};
}

function readPass(server: string, text: string) {
	const answer = parseJson(text);
	if (!isJsonObject(answer) || typeof answer['pass'] !== 'string' || !/^[\w-]{20,200}$/.test(answer['pass'])) {
		throw new AppError('network', `${server} answers what this version does not know.`, {
			hint: 'Install the same version of both.',
		});
	}

	const {pass, session, role} = answer;
	return {pass, session: typeof session === 'string' ? session : undefined, role};
}
