import {generateKeyPairSync, sign} from 'node:crypto';

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
	const content = Buffer.concat(parts);
	const length = content.length;
	const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const identifier = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes));
const time = (year: number) => der(0x18, Buffer.from(`${year}0101000000Z`));
const pem = (bytes: Buffer) =>
	`-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

/** A certificate for `host` that signs itself (RFC 5280), made anew so that no private key lies in the repository. */
export function selfSigned(
	host: string,
	lastYear = 2099,
	firstYear = 2000,
): {readonly key: string; readonly cert: string} {
	const {privateKey, publicKey} = generateKeyPairSync('ec', {namedCurve: 'P-256'});
	const algorithm = sequence(identifier(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
	const name = sequence(der(0x31, sequence(identifier(0x55, 0x04, 0x03), der(0x0c, Buffer.from(host)))));
	const alternative = sequence(identifier(0x55, 0x1d, 0x11), der(0x04, sequence(der(0x82, Buffer.from(host)))));
	const body = sequence(
		der(0xa0, der(0x02, Buffer.from([2]))),
		der(0x02, Buffer.from([1])),
		algorithm,
		name,
		sequence(time(firstYear), time(lastYear)),
		name,
		publicKey.export({type: 'spki', format: 'der'}),
		der(0xa3, sequence(alternative)),
	);
	const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
	const key = privateKey.export({type: 'pkcs8', format: 'pem'}).toString();
	return {key, cert: pem(sequence(body, algorithm, signature))};
}
