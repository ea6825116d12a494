import {refusal} from '../kit/refusal.ts';
import {compareVersions} from '../tasks/task-reference.ts';

/**
 * Refuses (426) a client of this program that is older than `minimum`. Other programs, browsers among them, do not say
 * `service/<version>` as their user agent and are let through.
 */
export function refuseOutdated(request: Request, url: URL, minimum: string | undefined): Response | undefined {
	const [, version] = /^service\/(\d\S*)/.exec(request.headers.get('user-agent') ?? '') ?? [];
	return minimum === undefined || version === undefined || compareVersions(version, minimum) >= 0
		? undefined
		: refusal(url, 426, `This server needs service ${minimum} or newer, and this is ${version}.`);
}
