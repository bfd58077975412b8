import { useRef } from 'preact/hooks';
import { Dialog } from './dialog';

/** SignIn asks for a bearer token, which stays in memory until the page is closed. */
export function SignIn({ onToken, onClose }: { onToken: (token: string) => void; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog title="Sign in" onClose={onClose}>
      <form
        class="sign-in"
        onSubmit={(e) => {
          e.preventDefault();
          onToken(field.current?.value.trim() ?? '');
        }}
      >
        <label for="token">Bearer token</label>
        <input id="token" type="password" autocomplete="off" autofocus ref={field} />
        <p class="hint">The page keeps the token in memory only and forgets it when you close or reload the page.</p>
        <button class="primary">Sign in</button>
      </form>
    </Dialog>
  );
}
