import {errorResponse} from '../kit/http-error.ts';
import {compareVersions} from '../tasks/task-reference.ts';

/**
 * Returns 426 for a client of this program older than `minimum`. Programs with another user agent than
 * `service/<version>`, such as browsers, are accepted.
 */
export function checkClientVersion(request: Request, url: URL, minimum: string | undefined): Response | undefined {
	const [, version] = /^service\/(\d\S*)/.exec(request.headers.get('user-agent') ?? '') ?? [];
	return minimum === undefined || version === undefined || compareVersions(version, minimum) >= 0
		? undefined
		: errorResponse(url, 426, `This server needs service ${minimum} or newer, and this is ${version}.`);
}
