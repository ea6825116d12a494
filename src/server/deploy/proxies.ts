import {basePathOf} from '../kit/server-url.ts';
import type {Deployment} from './deployment.ts';

/** A deployment whose public URL is known. */
type Public = Deployment & {readonly publicUrl: URL};

/** Returns a site of nginx: TLS, WebSocket, and streams that come piece by piece. */
export function nginxSite({port, publicUrl}: Public): string {
	const {hostname, protocol} = publicUrl;
	const base = basePathOf(publicUrl.href);
	const isSecure = protocol === 'https:';
	const listened = publicUrl.port || (isSecure ? '443' : '80');
	const listen = ['', '[::]:'].map(address => `    listen ${address}${listened}${isSecure ? ' ssl' : ''};`).join('\n');
	return `# /etc/nginx/conf.d/service.conf
#
#   nginx -t && systemctl reload nginx

map $http_upgrade $service_connection {
    default upgrade;
    '' '';
}

upstream service_server {
    server 127.0.0.1:${port};
    keepalive 32;
}

${
	isSecure && listened === '443'
		? `server {
    listen 80;
    listen [::]:80;
    server_name ${hostname};
    return 301 https://$host$request_uri;
}

`
		: ''
}server {
${listen}
    server_name ${hostname};
${
	isSecure
		? `
    ssl_certificate /etc/ssl/${hostname}/fullchain.pem;
    ssl_certificate_key /etc/ssl/${hostname}/privkey.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
`
		: ''
}
    location ${base}/ {
        proxy_pass http://service_server;
        proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_set_header Connection $service_connection;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Request-Id $request_id;

        # Events come one by one, and artifacts pass without a copy on the disk.
        proxy_buffering off;
        proxy_request_buffering off;
        client_max_body_size 0;
        proxy_read_timeout 1h;
        proxy_send_timeout 1h;
    }
}
`;
}

/** Returns a Caddyfile. Caddy gets the certificate by itself, and passes WebSocket on. */
export function caddyfile({port, publicUrl}: Public): string {
	const {origin} = publicUrl;
	const base = basePathOf(publicUrl.href);
	return `# /etc/caddy/Caddyfile
#
#   caddy validate --config /etc/caddy/Caddyfile && systemctl reload caddy

${origin} {
${base && `\tredir ${base} ${base}/\n`}	handle ${base}/* {
		reverse_proxy 127.0.0.1:${port} {
			# Events come one by one.
			flush_interval -1
			header_up X-Request-Id {http.request.uuid}
		}
	}
}
`;
}
