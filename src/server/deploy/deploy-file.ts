import {AppError} from '../../core/error.ts';
import {composeFile, kubernetesObjects} from './containers.ts';
import type {Deployment, DeployTarget} from './deployment.ts';
import {caddyfile, nginxSite} from './proxies.ts';
import {systemdUnit} from './systemd-unit.ts';

/** Returns the file that deploys a server. Throws AppError("usage") for a proxy without a public URL. */
export function deployFile(target: DeployTarget, deployment: Deployment): string {
	switch (target) {
		case 'systemd':
			return systemdUnit(deployment);
		case 'docker':
			return composeFile(deployment);
		case 'kubernetes':
			return kubernetesObjects(deployment);
		case 'nginx':
			return nginxSite({...deployment, publicUrl: publicUrlOf(target, deployment)});
		case 'caddy':
			return caddyfile({...deployment, publicUrl: publicUrlOf(target, deployment)});
		default:
			return target satisfies never;
	}
}

function publicUrlOf(target: DeployTarget, {publicUrl}: Deployment): URL {
	if (!publicUrl) {
		throw new AppError('usage', `A site for ${target} needs --public-url.`, {
			hint: `Name it: \`$ serve deploy ${target} --public-url https://agents.example.com\``,
		});
	}

	return publicUrl;
}
