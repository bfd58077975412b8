import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef, useState } from 'preact/hooks';
import { openSocket } from './api';
import type { Status } from './api';
import './stylesheet';

/** The first byte of each message of v5.channel.k8s.io names its channel. */
const channels = { stdin: 0, stdout: 1, stderr: 2, result: 3, size: 4 };

interface Props {
  path: string;
  query: [string, string][];
  label: string;
}

/** TerminalView runs a command of the API in a terminal. */
export function TerminalView({ path, query, label }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const [state, setState] = useState('connecting');
  useEffect(() => {
    if (!host.current) return;
    const terminal = new Terminal({
      fontFamily: getComputedStyle(host.current).getPropertyValue('--mono'),
      fontSize: 12,
      theme: { background: '#0d1015', foreground: '#dde3ec' },
      screenReaderMode: true,
      // A link in the output is text: whoever writes the output must not choose where the user goes.
      linkHandler: { activate: () => undefined },
    });
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    terminal.open(host.current);
    terminal.textarea?.setAttribute('aria-label', label);
    fit.fit();
    const streams: [string, string][] = ['stdin', 'stdout', 'stderr', 'tty'].map((name) => [name, name === 'stderr' ? 'false' : 'true']);
    const socket = openSocket(path, [...query, ...streams], ['v5.channel.k8s.io', 'v4.channel.k8s.io']);
    socket.binaryType = 'arraybuffer';
    const write = (channel: number, text: string) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      const bytes = new TextEncoder().encode(text);
      const message = new Uint8Array(bytes.length + 1);
      message[0] = channel;
      message.set(bytes, 1);
      socket.send(message);
    };
    const tellSize = () => write(channels.size, JSON.stringify({ Width: terminal.cols, Height: terminal.rows }));
    let result = '';
    socket.onopen = () => {
      setState('open');
      tellSize();
      terminal.focus();
    };
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
      const bytes = new Uint8Array(data);
      const body = bytes.subarray(1);
      if (bytes[0] === channels.stdout || bytes[0] === channels.stderr) terminal.write(body);
      else if (bytes[0] === channels.result) result = resultOf(new TextDecoder().decode(body));
    };
    // A browser does not tell a page why a WebSocket was refused.
    socket.onclose = ({ code, reason }) => setState((now) => (now === 'connecting' ? 'refused: you may not do this, or the object does not run' : result || reason || `closed (${code})`));
    terminal.onData((text) => write(channels.stdin, text));
    terminal.onResize(tellSize);
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(host.current);
    return () => {
      observer.disconnect();
      socket.close();
      terminal.dispose();
    };
  }, []);
  return (
    <>
      <p class="hint" role="status">
        {state}
      </p>
      <div class="terminal" ref={host} />
    </>
  );
}

function resultOf(text: string): string {
  try {
    const status = JSON.parse(text) as Status & { status?: string };
    return status.status === 'Success' ? 'the command has ended' : (status.message ?? 'the command failed');
  } catch {
    return text;
  }
}
