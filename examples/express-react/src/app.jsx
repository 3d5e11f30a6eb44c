import "carillon-embed";
import { connect } from "carillon-embed/core";
import { useCarillon } from "carillon-embed/react";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

const client = connect({ tokenUrl: "/carillon/token" });

// A router in ten lines: links and notices change the address, and the page updates.
function usePath() {
	const [path, setPath] = useState(location.pathname);
	useEffect(() => {
		const go = (href) => (history.pushState({}, "", href), setPath(location.pathname));
		const back = () => setPath(location.pathname);
		const navigate = (e) => {
			const to = new URL(e.detail.href, location.href);
			if (to.origin !== location.origin) return; // the browser opens it
			e.preventDefault();
			go(to);
		};
		addEventListener("popstate", back);
		document.addEventListener("carillon-navigate", navigate);
		return () => (removeEventListener("popstate", back), document.removeEventListener("carillon-navigate", navigate));
	}, []);
	return path;
}

function Shop({ me }) {
	const path = usePath();
	const { badge } = useCarillon(client);
	const order = /^\/orders\/(\d+)$/.exec(path)?.[1];
	return (
		<>
			<header>
				<a href="/">Harbour Goods</a>
				<carillon-bell token-url="/carillon/token" inbox-href="/messages"><a href="/messages">Notifications</a></carillon-bell>
				<form method="post" action="/logout"><button>Sign out {me.name}</button></form>
			</header>
			<main>
				<h1>{order ? `Order ${order}` : path === "/messages" ? "Notifications" : "Your orders"}</h1>
				{path === "/messages" ? <carillon-inbox token-url="/carillon/token" announcements="tab" /> : <p id="news">{badge.unread} unread</p>}
			</main>
			<carillon-toasts token-url="/carillon/token" />
		</>
	);
}

function SignIn({ users }) {
	return (
		<main>
			<h1>Sign in</h1>
			{users.map(([id, name]) => (
				<form key={id} method="post" action="/login"><button name="user" value={id}>{name}</button></form>
			))}
		</main>
	);
}

const me = await (await fetch("/me")).json();
createRoot(document.getElementById("root")).render(me.id ? <Shop me={me} /> : <SignIn users={me.users} />);
