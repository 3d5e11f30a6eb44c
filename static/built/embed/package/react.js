// static/embed/package/react.js
import { useCallback, useSyncExternalStore } from "react";
function useCarillon(client) {
  const subscribe = useCallback((fn) => client.subscribe(fn), [client]);
  return useSyncExternalStore(subscribe, client.getSnapshot, client.getSnapshot);
}
export {
  useCarillon
};
